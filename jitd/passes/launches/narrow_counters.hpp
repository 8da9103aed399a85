#pragma once
/// LLVM makes a counter of 64 bits of a 32-bit counter whose step is a range: for (int i = id; i < n; i += range).
/// Only the low half of such a counter is used. Facts about numbers of 32 bits do not hold for low halves.
///
/// Input: a work-item function. Ids and arguments are values, not memory.
/// Output: phis of 64 bits of which only the low
/// 32 are used have 32 bits, and so have their steps.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Returns whether the function had such a phi. Leaves casts, which InstCombine removes.
bool narrow_counters(llvm::Function& work_item);

}  // namespace sinter::passes
