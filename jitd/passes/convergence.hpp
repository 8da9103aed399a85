#pragma once
/// Marks barriers as convergent, and functions that contain them. This header has no source file, because the capture
/// plugin uses it, too, and links none of the passes.

#include <abi/device_abi.hpp>
#include <cstdint>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

/// Marks functions as convergent. `work` contains functions with barriers or with exchanges between work-items. These
/// functions are marked, and all functions that call them, directly or through other functions.
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

/// Emits a barrier, where all work-items of the scope wait for each other. The calling function has to be convergent,
/// too. If the function were not convergent, LLVM would remove the attribute from the call, and might then copy the
/// barrier into both sides of a branch.
inline void create_barrier(llvm::IRBuilder<>& builder, abi::scope scope) {
  llvm::FunctionCallee barrier = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      "__sinter_barrier", builder.getVoidTy(), builder.getInt32Ty(), builder.getInt32Ty());
  llvm::cast<llvm::Function>(barrier.getCallee())->setConvergent();
  llvm::Value* number = builder.getInt32(static_cast<std::uint32_t>(scope));
  builder.CreateCall(barrier, {number, number})->setConvergent();
}

} // namespace sinter::passes
