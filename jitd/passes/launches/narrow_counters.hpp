#pragma once
/// Turns counters of 64 bits into counters of 32 bits. LLVM widens a 32-bit counter whose step is the launch's range,
/// for example in for (int i = id; i < n; i += range). The code uses only the low half of such a counter, but LLVM's
/// rules for 32-bit numbers do not cover low halves of 64-bit numbers.
///
/// Input: a work-item function. Ids and arguments are SSA values.
/// Output: phis of 64 bits become phis of 32 bits if only the low 32 bits are used. The steps of these phis have 32
///   bits, too.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Returns whether the function had such a phi. The result contains casts, which InstCombine removes later.
bool narrow_counters(llvm::Function& work_item);

}  // namespace sinter::passes
