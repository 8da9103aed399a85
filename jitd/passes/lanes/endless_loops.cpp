#include "endless_loops.hpp"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace sinter::passes {
namespace {

/// Whether C++ counts the instruction as progress of its thread: calls with side effects, and volatile or atomic
/// accesses.
bool is_progress(const llvm::Instruction& instruction) {
  return instruction.isVolatile() || instruction.isAtomic() ||
         (llvm::isa<llvm::CallBase>(instruction) && instruction.mayHaveSideEffects());
}

bool is_never_entered(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getExitBlocks(exits);
  return exits.empty() && llvm::isMustProgress(&loop) && llvm::none_of(loop.blocks(), [](llvm::BasicBlock* block) {
    return llvm::any_of(*block, is_progress);
  });
}

}  // namespace

bool leave_out_endless_loops(llvm::Function& function, const llvm::LoopInfo& loops) {
  llvm::SmallVector<llvm::BasicBlock*, 2> headers;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (is_never_entered(*loop)) headers.push_back(loop->getHeader());
  }
  for (llvm::BasicBlock* header : headers) llvm::changeToUnreachable(&*header->getFirstNonPHIIt());
  if (!headers.empty()) llvm::removeUnreachableBlocks(function);
  return !headers.empty();
}

llvm::PreservedAnalyses endless_loops::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  if (!leave_out_endless_loops(function, manager.getResult<llvm::LoopAnalysis>(function))) {
    return llvm::PreservedAnalyses::all();
  }
  // The branches to the removed blocks have changed, so all analyses are outdated.
  manager.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::SimplifyCFGPass().run(function, manager);
  return llvm::PreservedAnalyses::none();
}

}  // namespace sinter::passes
