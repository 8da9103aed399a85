#pragma once
/// Computes the exponential function of floats in line. This is faster than a call of libmvec, across which no value
/// stays in a vector register, and more exact: results are at most 1.01 ulp off, libmvec's up to 2.6.
///
/// Input: a kernel of one work-item. The pass runs before vectors are made, so that all forms of a kernel have equal
/// results. Output: no call of exp for floats is left. Calls of exp for doubles, and calls for other bases, stay.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

void expand_float_exponentials(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
