#pragma once
/// Reciprocal square roots from the machine's estimate, where the program asks for no more than 2 units in the last
/// place: where capture saw sycl::rsqrt (canonical_math.hpp), `1 / sqrt(x)` of floats carries !fpmath of 2.
///
/// estimate_reciprocal_roots computes it by an estimate of 14 bits (machine_calls.hpp) and one step of Newton's method:
/// at most 1.1 units off; zeros, infinities and denormal numbers give the same result as the division. Machines without
/// vrsqrt14ps keep the division: estimates of 11 bits need two steps, and denormal numbers a case of their own.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void estimate_reciprocal_roots(llvm::Function& function);

} // namespace sinter::passes
