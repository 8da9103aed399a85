#pragma once
/// Removes loops that are never entered in a correct program. LLVM makes such loops, for example from `for (i = step; i
/// < 1; i += step)`: it copies the loop for step 0, which never ends. Lanes that entered this copy would never meet the
/// other lanes again, so the region could not become vectors.
///
/// Input: any function.
/// Output: a loop becomes unreachable if it has no exit, does nothing that is seen outside, and has to make progress
///   (C++20 6.9.2.3).

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sinter::passes {

/// Returns whether there was such a loop.
bool leave_out_endless_loops(llvm::Function& function, const llvm::LoopInfo& loops);

struct endless_loops : llvm::PassInfoMixin<endless_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

}  // namespace sinter::passes
