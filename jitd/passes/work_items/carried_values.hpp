#pragma once
/// Keeps vectors in registers if a loop stores them in one iteration and loads them in the next iteration. An example:
/// the work-items of a group store rows of a tile, and wait at a barrier. Then each work-item reads all of these rows.
///
/// Input: a CPU entry (work_item_loops.hpp) that LLVM has optimised.
/// Output: the entry, in which phis replace loads in the first block of a loop. A load is replaced if the last value
///   that was stored to its address is known both in front of the loop and in the loop's body. There are at most as
///   many such phis as registers. LLVM's GVN finds few of these loads, because it looks at few instructions
///   (bound_effort). dead_local_stores removes the stores.

#include "llvm/IR/PassManager.h"

namespace sinter::passes {

/// `registers` is the number of vector registers of the machine.
void carry_values(llvm::Function& entry, llvm::FunctionAnalysisManager& analyses, unsigned registers);

}  // namespace sinter::passes
