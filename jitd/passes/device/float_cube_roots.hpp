#pragma once
/// The cube root of floats in line: libmvec's is up to 2.6 ulp off, where SYCL allows 2. This one is rounded from a
/// double, at most 0.51 ulp off.
///
/// Input: a kernel of one work-item. The pass runs before there are vectors.
/// Output: no call of cbrt of a float is left.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void expand_float_cube_roots(llvm::Function& kernel);

}  // namespace sinter::passes
