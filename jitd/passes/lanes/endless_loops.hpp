#pragma once
/// Removes loops that are never entered in a correct program. LLVM itself makes such loops. For example, LLVM copies
/// the loop `for (i = step; i < 1; i += step)` for the case that step is 0, and this copy never ends. Lanes that
/// entered the copy would never meet the other lanes again, so the region could not become vectors.
///
/// Input: any function.
/// Output: a loop becomes unreachable if it has no exit, has no effects outside its thread, and is required to make
///   progress (C++20 6.9.2.3).

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sinter::passes {

/// Returns true if it removed a loop.
bool leave_out_endless_loops(llvm::Function& function, const llvm::LoopInfo& loops);

struct endless_loops : llvm::PassInfoMixin<endless_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

}  // namespace sinter::passes
