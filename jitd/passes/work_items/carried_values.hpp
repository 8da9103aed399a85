#pragma once
/// Vectors that an iteration leaves in memory for the next one stay in registers: rows of a tile, say, that the
/// work-items of a group store in front of a barrier and all of them read behind it.
///
/// Input: a CPU entry (work_item_loops.hpp) that LLVM has optimised, each address one value.
/// Output: the same; a vector that the head of a loop reads from a place, and that was the last to be stored there on
///   both ways into it, is a phi, as far as there are registers. GVN looks at too few instructions to see most of them
///   (bound_effort). Stores that nothing reads any more are dead_local_stores' to find.

#include "llvm/IR/PassManager.h"

namespace sinter::passes {

/// `registers`: as many vectors as the machine can hold.
void carry_values(llvm::Function& entry, llvm::FunctionAnalysisManager& analyses, unsigned registers);

}  // namespace sinter::passes
