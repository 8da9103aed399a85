#pragma once
/// A loop that stores a vector in one iteration and loads it in the next keeps it in a register. Example: work-items
/// of a group store rows of a tile, wait at a barrier, and then all of them read these rows.
///
/// Input: a CPU entry (work_item_loops.hpp) that LLVM has optimised.
/// Output: the same entry. Loads in the first block of a loop are phis where it is known what was stored last, in front
///   of the loop and in its body; no more vectors than there are registers. LLVM's GVN finds few of them, for it looks
///   at few instructions (bound_effort). dead_local_stores removes the stores.

#include "llvm/IR/PassManager.h"

namespace sinter::passes {

/// `registers`: the number of vectors that the machine can hold.
void carry_values(llvm::Function& entry, llvm::FunctionAnalysisManager& analyses, unsigned registers);

}  // namespace sinter::passes
