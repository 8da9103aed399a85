#pragma once
/// Computes reciprocal square roots from the machine's estimate, where the program allows an error of 2 units in the
/// last place. A `1 / sqrt(x)` of floats that capture made of sycl::rsqrt (canonical_math.hpp) carries !fpmath of 2.
///
/// estimate_reciprocal_roots uses an estimate of 14 bits (machine_calls.hpp) and one step of Newton's method. The
/// result is at most 1.1 units off. Zeros, infinities and denormal numbers give the same result as the division.
/// Machines without vrsqrt14ps keep the division: their estimates of 11 bits would need two steps, and a special case
/// for denormal numbers.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void estimate_reciprocal_roots(llvm::Function& function);

} // namespace sinter::passes
