#pragma once
/// The exponential function of floats in line: around calls of libmvec nothing stays in registers, and theirs is up to
/// 2.6 ulp off. This function is at most 1.01 ulp off.
///
/// Input: a kernel of one work-item. The pass runs before there are vectors, so that all forms of a kernel compute the
/// same. Output: no call of exp of a float is left. Doubles and other bases stay calls.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

void expand_float_exponentials(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
