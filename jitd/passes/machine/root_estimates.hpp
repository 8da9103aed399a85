#pragma once
/// Computes reciprocal square roots from the machine's estimate, if the program allows an error of 2 units in the last
/// place. The capture plugin turns sycl::rsqrt of floats into `1 / sqrt(x)` with !fpmath 2 (canonical_math.hpp).
///
/// estimate_reciprocal_roots uses an estimate of 14 bits (machine_calls.hpp) and one step of Newton's method. The
/// result is at most 1.1 units off. Zeros, infinities and denormal numbers give the same result as the division.
/// Machines without vrsqrt14ps keep the division: their estimates of 11 bits would need two steps, and a special case
/// for denormal numbers.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void estimate_reciprocal_roots(llvm::Function& function);

} // namespace sinter::passes
