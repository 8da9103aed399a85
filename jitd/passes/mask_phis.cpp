#include "mask_phis.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

void widen_mask_phis(llvm::Module& module, unsigned vector_bits) {
  if (vector_bits > 256) return;
  for (llvm::Function& function : module) {
    llvm::SmallVector<std::pair<llvm::PHINode*, llvm::PHINode*>, 8> phis;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
      const auto* type = phi ? llvm::dyn_cast<llvm::FixedVectorType>(phi->getType()) : nullptr;
      if (!type || !type->getElementType()->isIntegerTy(1) || type->getNumElements() < 2) continue;
      const unsigned bits = vector_bits / type->getNumElements();
      if (bits < 8 || bits > 64) continue;
      llvm::IRBuilder<> builder(phi);
      auto* wide = llvm::FixedVectorType::get(builder.getIntNTy(bits), type->getNumElements());
      phis.push_back({phi, builder.CreatePHI(wide, phi->getNumIncomingValues())});
    }
    for (auto& [phi, wide] : phis) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        llvm::BasicBlock* from = phi->getIncomingBlock(i);
        llvm::Value* value = phi->getIncomingValue(i);
        const auto known = llvm::find_if(phis, [&](const auto& each) { return each.first == value; });
        const int before = wide->getBasicBlockIndex(from);
        llvm::IRBuilder<> builder(from->getTerminator());
        llvm::Value* wider = before >= 0 ? wide->getIncomingValue(static_cast<unsigned>(before))
                             : known != phis.end() && known->second->getType() == wide->getType()
                                 ? known->second
                                 : builder.CreateSExt(value, wide->getType());
        wide->addIncoming(wider, from);
      }
    }
    for (auto& [phi, wide] : phis) {
      llvm::IRBuilder<> builder(&*phi->getParent()->getFirstInsertionPt());
      phi->replaceAllUsesWith(builder.CreateICmpSLT(wide, llvm::Constant::getNullValue(wide->getType())));
      phi->eraseFromParent();
    }
  }
}

}  // namespace sinter::passes
