#pragma once
/// Natural and decimal logarithms of floats in line. Vectors of libmvec are up to 3.8 ulp off (between 0.5 and 1), and
/// SYCL allows 3 (SYCL 2020 4.17.5); these are at most 1.04 ulp off, without fused multiply-add 2.1. If the machine has
/// instructions for exponent and significand (machine/machine_calls.hpp), natural logarithms use them: 0.97.
///
/// Input: a kernel of one work-item. The pass runs before there are vectors, so that all forms of a kernel compute the
/// same. Output: no call of log or log10 of a float is left. Doubles and logarithms to base 2 stay calls.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

void expand_float_logarithms(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
