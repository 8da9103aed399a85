#pragma once
/// Makes masks as wide as the data to which they belong, for machines without mask registers.
///
/// Input: an optimised function. If vectors of i1 pass through phis, LLVM would keep them in the narrowest
///   registers. If lanes leave a loop in different iterations, LLVM would pack and unpack these vectors in each
///   iteration.
/// Output: these phis are vectors of integers (0 or -1) that fill a vector register, and so are the logical operations
///   between the phis. Comparisons, selects and tests for "any lane" use the signs of the integers, like the machine's
///   instructions. Nothing else changes.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Returns whether the function was changed.
bool keep_masks_wide(llvm::Function& function, unsigned vector_bits);

}  // namespace sinter::passes
