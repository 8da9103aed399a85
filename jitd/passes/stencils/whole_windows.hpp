#pragma once
/// Writes loops over windows as straight code: what is left is the loop over work-items alone, and arrays of a window's
/// values become values.
///
/// Input: a kernel that knows the numbers of its launch. Output: loops with a known number of iterations, and few in
/// all, are gone.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void unroll_windows(llvm::Function& kernel);

}  // namespace sinter::passes
