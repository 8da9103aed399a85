#include "one_entry.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BreakCriticalEdges.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"

namespace sinter::passes {
namespace {

/// Whether LLVM can split all edges of the function. LLVM can't split the edges of indirect branches.
bool has_plain_edges(const llvm::Function& function) {
  return llvm::all_of(function, [](const llvm::BasicBlock& block) {
    return llvm::isa<llvm::BranchInst, llvm::SwitchInst>(block.getTerminator()) ||
           block.getTerminator()->getNumSuccessors() == 0;
  });
}

}  // namespace

llvm::PreservedAnalyses one_entry_loops::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  const auto& loops = manager.getResult<llvm::LoopAnalysis>(function);
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  // Functions with other edges are not changed. A later step refuses these functions with a message.
  if (!has_plain_edges(function) || !llvm::containsIrreducibleCFG<llvm::BasicBlock*>(order, loops))
    return llvm::PreservedAnalyses::all();
  manager.invalidate(function, llvm::BreakCriticalEdgesPass().run(function, manager));
  manager.invalidate(function, llvm::FixIrreduciblePass().run(function, manager));
  return llvm::PreservedAnalyses::none();
}

}  // namespace sinter::passes
