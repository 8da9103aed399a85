#pragma once
/// Computes natural and decimal logarithms of floats in line. SYCL allows an error of 3 ulp (SYCL 2020 4.17.5), but
/// libmvec's logarithms are up to 3.8 ulp off for x between 0.5 and 1. The logarithms of this pass are at most 1.04 ulp
/// off, or 2.1 ulp without fused multiply-add. If the machine has instructions for exponent and significand
/// (machine/machine_calls.hpp), natural logarithms use these instructions and are at most 0.97 ulp off.
///
/// Input: a kernel of one work-item. The pass runs before vectors are made, so that the scalar and the vectorized
/// versions of a kernel have equal results. Output: no call of log or log10 for floats is left. Doubles and logarithms
/// to base 2 stay calls.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

void expand_float_logarithms(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
