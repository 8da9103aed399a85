#pragma once
/// Makes sure that integer divisions never trap. x86 ends the process if a divisor is 0 or a quotient does not fit (the
/// lowest number by -1). Other machines, GPUs included, give some number, and programs rely on that if they do not use
/// the result.
///
/// Input: optimised code. No later pass may conclude from a division that its divisor is not 0. Output: where divisor
/// or quotient may be such, x / 0 is x, x % 0 is 0, and the lowest number by -1 is itself, with a
/// remainder of 0. If a divisor is the same in a loop, it is tested in front of the loop.

#include "passes/pass_runner.hpp"

namespace llvm {
class TargetMachine;
}

namespace sinter::passes {

/// Whether the machine has divisions that trap.
bool divisions_trap(const llvm::TargetMachine& machine);

void make_divisions_safe(llvm::Function& function, pass_runner& runner);

}  // namespace sinter::passes
