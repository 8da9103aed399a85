#pragma once
/// Computes the exponential function of floats in line. No value stays in a vector register across a call of libmvec,
/// and libmvec's results are up to 2.6 ulp off. The results of this code are at most 1.01 ulp off.
///
/// Input: a kernel of one work-item. The pass runs before vectors are made, so that all forms of a kernel have equal
/// results. Output: no call of exp for floats is left. Doubles and other bases stay calls.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

void expand_float_exponentials(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
