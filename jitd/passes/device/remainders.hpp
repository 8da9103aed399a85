#pragma once
/// fmod in line, where machines multiply and add with one rounding: libm has none for vectors, and its own goes bit by
/// bit. Results are exact, as all of fmod.
///
/// Input: a kernel of one work-item. The pass runs before there are vectors. Output: fmod of floats and doubles is a
/// division and a multiplication, as long as the quotient has fewer digits than the type. Only for larger quotients,
/// for a divisor of 0 or infinity, and for numbers that are none, a call is left behind a branch.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

void expand_remainders(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
