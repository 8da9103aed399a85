#pragma once
/// Makes masks as wide as the data to which they belong, for machines without mask registers.
///
/// Input: an optimised function. LLVM would keep vectors of i1 that pass through phis in the narrowest registers, and
///   pack and unpack them in each iteration of a loop that lanes leave one by one.
/// Output: these phis, and the logic between them, are vectors of integers (0 or -1) that fill a vector register.
///   Compares, selects and "any" use the signs of the integers, as the machine does. Nothing else changes.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Returns whether something was changed.
bool keep_masks_wide(llvm::Function& function, unsigned vector_bits);

}  // namespace sinter::passes
