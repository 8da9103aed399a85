#pragma once
/// Makes integer divisions never trap. x86 ends the process where a divisor is 0 or a quotient does not fit (the lowest
/// number by -1); other machines, GPUs included, give some number, and programs rely on that for results that are not
/// used.
///
/// Input: optimised code; no pass may come behind that takes a division for proof that its divisor is not 0.
/// Output: where divisor or quotient may be such, x / 0 is x, x % 0 is 0, and the lowest number by -1 is itself, with a
///   remainder of 0. Divisors that are the same in a loop are looked at in front of it.

#include "passes/pass_runner.hpp"

namespace llvm {
class TargetMachine;
}

namespace sinter::passes {

/// Whether the machine has divisions that trap.
bool divisions_trap(const llvm::TargetMachine& machine);

void make_divisions_safe(llvm::Function& function, pass_runner& runner);

}  // namespace sinter::passes
