#pragma once
/// Where work-items have to stay together. A header alone: the capture plugin, which links none of this, asks the same.

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

/// `work`, functions at which work-items meet, and all that calls them, are convergent.
inline void mark_callers_convergent(llvm::SmallVector<llvm::Function*, 16> work) {
  llvm::SmallPtrSet<llvm::Function*, 16> seen(work.begin(), work.end());
  while (!work.empty()) {
    llvm::Function* function = work.pop_back_val();
    function->setConvergent();
    for (llvm::User* user : function->users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || call->getCalledOperand() != function) continue;
      call->setConvergent();
      if (seen.insert(call->getFunction()).second) work.push_back(call->getFunction());
    }
  }
}

} // namespace sinter::passes
