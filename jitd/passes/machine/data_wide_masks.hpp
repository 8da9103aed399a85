#pragma once
/// Masks as wide as the data they choose from, for machines without mask registers.
///
/// Input: an optimised function. Vectors of i1 that pass through phis would get the narrowest registers, and be packed
///   and unpacked in each iteration of a loop that lanes leave one by one.
/// Output: those phis, and the logic between them, are vectors of integers, 0 or -1, that fill a vector register;
///   compares, selects and "any" use them through their sign, as the machine does. Nothing else changes.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// True when something was changed.
bool keep_masks_wide(llvm::Function& function, unsigned vector_bits);

}  // namespace sinter::passes
