#pragma once
/// Makes sure that integer divisions never trap. x86 ends the process if a divisor is 0 or a quotient does not fit (the
/// lowest number by -1). Other machines, GPUs included, return some number. Programs that do not use the result rely on
/// this.
///
/// Input: optimised code. No later pass may conclude from a division that its divisor is not 0.
/// Output: where the divisor
/// may be 0 or the quotient may not fit, x / 0 is x, x % 0 is 0, and the lowest number by -1 is itself, with a
/// remainder of 0. A divisor that does not change in a loop is tested in front of the loop.

#include "passes/pass_runner.hpp"

namespace llvm {
class TargetMachine;
}

namespace sinter::passes {

/// Whether the machine has divisions that trap.
bool divisions_trap(const llvm::TargetMachine& machine);

void make_divisions_safe(llvm::Function& function, pass_runner& runner);

}  // namespace sinter::passes
