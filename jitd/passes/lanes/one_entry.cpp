#include "one_entry.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/BreakCriticalEdges.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"

namespace sinter::passes {

llvm::PreservedAnalyses one_entry_loops::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  const auto& loops = manager.getResult<llvm::LoopAnalysis>(function);
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  if (!llvm::containsIrreducibleCFG<llvm::BasicBlock*>(order, loops)) return llvm::PreservedAnalyses::all();
  manager.invalidate(function, llvm::BreakCriticalEdgesPass().run(function, manager));
  manager.invalidate(function, llvm::FixIrreduciblePass().run(function, manager));
  return llvm::PreservedAnalyses::none();
}

}  // namespace sinter::passes
