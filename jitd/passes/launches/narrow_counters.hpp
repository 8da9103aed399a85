#pragma once
/// LLVM makes counters of 64 bits if a 32-bit counter is stepped on by a range: for (int i = id; i < n; i += range).
/// Only the low half of such a counter is used. Facts about numbers of 32 bits do not hold for low halves.
///
/// Input: a work-item function; ids and arguments are values, not memory. Output: phis of 64 bits of which only the low
/// 32 are used have 32 bits, and so have the numbers by which they are stepped on.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Returns whether there was such a phi. Casts are left over, for InstCombine.
bool narrow_counters(llvm::Function& work_item);

}  // namespace sinter::passes
