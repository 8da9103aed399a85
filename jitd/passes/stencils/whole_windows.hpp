#pragma once
/// Writes loops over windows as straight code. Only the loop over work-items is left, and arrays with a window's values
/// become values.
///
/// Input: a kernel that knows the numbers of its launch. Output: straight code instead of loops with a small known
/// number of iterations.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void unroll_windows(llvm::Function& kernel);

}  // namespace sinter::passes
