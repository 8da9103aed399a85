#pragma once
/// Makes sure that integer divisions never trap. x86 ends the process if a divisor is 0 or a quotient does not fit (the
/// lowest number divided by -1). Other machines, including GPUs, return some number. Some programs divide by 0 and
/// never use the result.
///
/// Input: optimised code. No pass that runs later may conclude from a division that its divisor is not 0.
/// Output: divisions with defined results, where the divisor may be 0 or the quotient may not fit: x / 0 is x, x % 0 is
/// 0, and the lowest number divided by -1 is itself, with a remainder of 0. A divisor that does not change in a loop is
/// tested in front of the loop.

#include "passes/pass_runner.hpp"

namespace llvm {
class TargetMachine;
}

namespace sinter::passes {

/// Whether the machine's integer divisions trap.
bool divisions_trap(const llvm::TargetMachine& machine);

void make_divisions_safe(llvm::Function& function, pass_runner& runner);

}  // namespace sinter::passes
