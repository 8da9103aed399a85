#pragma once
/// Unrolls loops over windows completely. Only the loop over work-items is left, and the elements of arrays with a
/// window's values become registers.
///
/// Input: a kernel in which the numbers of its launch are constants. Output: the kernel, in which loops with a small
/// known number of iterations are unrolled.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void unroll_windows(llvm::Function& kernel);

}  // namespace sinter::passes
