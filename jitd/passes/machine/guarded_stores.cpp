#include "guarded_stores.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sinter::passes {

void split_guarded_stores(llvm::Function& wide) {
  llvm::SmallVector<llvm::IntrinsicInst*, 4> stores;
  for (llvm::Instruction& instruction : llvm::instructions(wide)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || !call->hasMetadata(guarded_metadata)) continue;
    call->setMetadata(guarded_metadata, nullptr);
    if (call->getIntrinsicID() == llvm::Intrinsic::masked_store) stores.push_back(call);
  }
  for (llvm::IntrinsicInst* masked : stores) {
    llvm::Value *value = masked->getArgOperand(0), *address = masked->getArgOperand(1),
                *mask = masked->getArgOperand(2);
    llvm::IRBuilder<> builder(masked);
    llvm::Value* all = builder.CreateAndReduce(mask);
    llvm::Instruction *then = nullptr, *otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(all, masked->getIterator(), &then, &otherwise);
    builder.SetInsertPoint(then);
    builder.CreateAlignedStore(value, address, masked->getParamAlign(1).valueOrOne())->copyMetadata(*masked);
    masked->moveBefore(otherwise->getIterator());
  }
}

} // namespace sinter::passes
