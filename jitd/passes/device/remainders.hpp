#pragma once
/// Computes fmod in line, on machines that multiply and add with one rounding. libm has no fmod for vectors, and its
/// scalar fmod works bit by bit. Results are exact, as fmod requires.
///
/// Input: a kernel of one work-item. The pass runs before vectors are made. Output: fmod of floats and doubles is a
/// division and a multiplication if the quotient has fewer digits than the type. A call behind a branch is left for
/// larger quotients, divisors of 0 or infinity, and NaNs.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

void expand_remainders(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
