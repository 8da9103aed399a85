#pragma once
/// LLVM makes counters of 64 bits where a 32-bit one is stepped on by a range: for (int i = id; i < n; i += range),
/// whose low half alone is ever asked for. Facts about numbers of 32 bits do not hold for low halves.
///
/// Input: a work-item function; ids and arguments are values, not memory.
/// Output: phis of whose 64 bits only the low 32 matter have 32 bits, and so has what they are stepped on by.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Returns whether there was such a phi. Casts are left over, for InstCombine.
bool narrow_counters(llvm::Function& work_item);

}  // namespace sinter::passes
