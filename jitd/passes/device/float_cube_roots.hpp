#pragma once
/// Replaces calls of cbrt for floats by inlined code. SYCL allows an error of 2 ulp, but libmvec's cube root is up to
/// 2.6 ulp off. This code computes in double and rounds at the end, so its results are at most 0.51 ulp off.
///
/// Input: a kernel of one work-item. The pass runs before vectors are made.
/// Output: no call of cbrt for floats is left.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void expand_float_cube_roots(llvm::Function& kernel);

}  // namespace sinter::passes
