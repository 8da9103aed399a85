#include "specialization_keys.hpp"

#include <abi/device_abi.hpp>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/xxhash.h"

namespace sinter::capture {

bool complete_specialization_keys(llvm::Module& host) {
  llvm::Function* marker = host.getFunction("__sinter_specialization_key");
  if (!marker) return false;
  bool changed = false;
  for (llvm::User* user : llvm::make_early_inc_range(marker->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || call->getCalledFunction() != marker || call->arg_size() != 2) continue;
    const auto* constant = llvm::dyn_cast<llvm::GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    const auto* key = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
    if (!constant || !key) continue;
    const std::uint64_t complete =
        (key->getZExtValue() ^ llvm::xxh3_64bits(constant->getName())) & ~abi::specialization_without_default;
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), complete));
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace sinter::capture
