#include "group_variables.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "passes/called_names.hpp"

namespace sinter::passes {
namespace {

// least_alignment is the alignment that add_local_memory gives accessors. block_alignment is the alignment of local
// memory on devices.
constexpr std::uint64_t least_alignment = 64, block_alignment = 128;

llvm::CallInst* local_base(llvm::IRBuilder<>& builder, llvm::Module& module) {
  return builder.CreateCall(module.getOrInsertFunction("__sinter_local_base", builder.getPtrTy()));
}

/// The key of a call. For a work_group_static, the key is the address of the object, which the class's member functions
/// get as an argument. Unoptimised code keeps arguments in stack variables that are stored once.
llvm::Value* key_of(const llvm::CallInst& call) {
  llvm::Value* key = call.getArgOperand(0)->stripPointerCasts();
  while (auto* load = llvm::dyn_cast<llvm::LoadInst>(key)) {
    const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand()->stripPointerCasts());
    if (!slot) return key;
    llvm::Value* stored = nullptr;
    for (const llvm::User* user : slot->users()) {
      if (llvm::isa<llvm::LoadInst>(user)) continue;
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (store && store->getPointerOperand() == slot && !stored) {
        stored = const_cast<llvm::Value*>(store->getValueOperand());
      } else if (!llvm::isa<llvm::IntrinsicInst>(user)) {
        return key;
      }
    }
    if (!stored) return key;
    key = stored->stripPointerCasts();
  }
  return key;
}

}  // namespace

llvm::Expected<std::uint64_t> place_group_variables(llvm::Function& kernel) {
  const auto calls = calls_of(kernel, "__sinter_group_variable");
  if (calls.empty()) return 0;
  llvm::DenseMap<const llvm::Value*, std::uint64_t> places;
  std::uint64_t used = 0, strictest = block_alignment;
  for (llvm::CallInst* call : calls) {
    const auto* key = llvm::dyn_cast<llvm::GlobalVariable>(key_of(*call));
    const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
    const auto* alignment = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
    if (!key || !bytes || !alignment || !llvm::isPowerOf2_64(alignment->getZExtValue())) {
      return llvm::createStringError("it asks for group-local memory that is not known before it runs");
    }
    const std::uint64_t aligned = std::max(alignment->getZExtValue(), least_alignment);
    const auto [place, is_new] = places.try_emplace(key, abi::align_bytes(used, aligned));
    if (!is_new) continue;
    strictest = std::max(strictest, aligned);
    used = abi::add_bytes(place->second, bytes->getZExtValue());
  }
  const std::uint64_t whole = abi::align_bytes(used, strictest);
  llvm::IRBuilder<> builder(kernel.getContext());
  for (llvm::CallInst* base : calls_of(kernel, "__sinter_local_base")) {
    builder.SetInsertPoint(base->getNextNode());
    auto* moved = llvm::cast<llvm::Instruction>(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, whole));
    base->replaceUsesWithIf(moved, [&](const llvm::Use& use) { return use.getUser() != moved; });
  }
  for (llvm::CallInst* call : calls) {
    builder.SetInsertPoint(call);
    const std::uint64_t offset = places.lookup(key_of(*call));
    llvm::Value* base = local_base(builder, *kernel.getParent());
    call->replaceAllUsesWith(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset));
    call->eraseFromParent();
  }
  return whole;
}

void separate_group_variables(llvm::Function& kernel) {
  llvm::DenseMap<const llvm::Value*, llvm::GlobalVariable*> own;
  for (llvm::CallInst* call : calls_of(kernel, "__sinter_group_variable")) {
    llvm::GlobalVariable*& key = own[key_of(*call)];
    if (!key) {
      llvm::Constant* zero = llvm::ConstantInt::get(llvm::Type::getInt8Ty(kernel.getContext()), 0);
      key = new llvm::GlobalVariable(*kernel.getParent(), zero->getType(), /*isConstant=*/true,
                                     llvm::GlobalValue::PrivateLinkage, zero, "sinter_group_variable");
    }
    call->setArgOperand(0, key);
  }
}

}  // namespace sinter::passes
