#include "joined_arguments.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"

namespace sinter::jit {

llvm::Error join_arguments(llvm::Function& fused, const std::vector<std::uint64_t>& places) {
  const llvm::DataLayout& layout = fused.getDataLayout();
  llvm::Argument* blocks = fused.getArg(0);
  llvm::SmallVector<std::pair<llvm::Value*, std::uint64_t>, 16> addresses{{blocks, 0}};
  while (!addresses.empty()) {
    const auto [address, offset] = addresses.pop_back_val();
    for (llvm::User* user : llvm::make_early_inc_range(address->users())) {
      if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        llvm::APInt distance(layout.getIndexTypeSizeInBits(step->getType()), offset);
        if (step->accumulateConstantOffset(layout, distance)) {
          addresses.push_back({step, distance.getZExtValue()});
          continue;
        }
      }
      auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (!load || !load->getType()->isPointerTy() || offset % 8 != 0 || offset / 8 >= places.size()) {
        return llvm::createStringError("internal error: the fused kernel does more with its arguments than read them");
      }
      llvm::IRBuilder<> builder(load);
      load->replaceAllUsesWith(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), blocks, places[offset / 8]));
      load->eraseFromParent();
    }
  }
  return llvm::Error::success();
}

}  // namespace sinter::jit
