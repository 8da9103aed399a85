#include "atomic_order.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sinter::jit::nvptx {

void fence_atomics(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      if (!atomic || !llvm::isStrongerThanMonotonic(atomic->getOrdering())) continue;
      const llvm::AtomicOrdering order = atomic->getOrdering();
      const bool total = order == llvm::AtomicOrdering::SequentiallyConsistent;
      llvm::IRBuilder<> builder(atomic);
      if (llvm::isReleaseOrStronger(order)) {
        builder.CreateFence(total ? order : llvm::AtomicOrdering::AcquireRelease, atomic->getSyncScopeID());
      }
      if (llvm::isAcquireOrStronger(order)) {
        builder.SetInsertPoint(atomic->getNextNode());
        builder.CreateFence(llvm::AtomicOrdering::AcquireRelease, atomic->getSyncScopeID());
      }
      atomic->setOrdering(llvm::AtomicOrdering::Monotonic);
    }
  }
}

}  // namespace sinter::jit::nvptx
