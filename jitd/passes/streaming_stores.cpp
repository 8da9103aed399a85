#include "streaming_stores.hpp"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "work_item_function.hpp"

namespace sinter::passes {
namespace {

constexpr std::int64_t unknown = -1, private_memory = -2;

/// Which pointer of the argument block an address is computed from: its offset there.
std::int64_t origin(const llvm::Value* address, const llvm::Function& function) {
  const llvm::Value* object = llvm::getUnderlyingObject(address, 0);
  if (llvm::isa<llvm::AllocaInst>(object)) return private_memory;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
  if (!load) return unknown;
  llvm::APInt offset(64, 0);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const llvm::Value* block = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  return block == function.getArg(parameter_block) ? offset.getSExtValue() : unknown;
}

/// Where an instruction that reads memory reads; null: nobody knows. Atomics and fences count as such: stores past the
/// caches are in no order with them.
const llvm::Value* address_read(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() ? load->getPointerOperand() : nullptr;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call) return nullptr;
  const llvm::Intrinsic::ID id = call->getIntrinsicID();
  return id == llvm::Intrinsic::masked_gather || id == llvm::Intrinsic::masked_load ? call->getArgOperand(0) : nullptr;
}

bool is_vector_of(llvm::Type* type, unsigned lanes) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getNumElements() == lanes;
}

}  // namespace

streaming_form make_streaming(llvm::Function& wide, unsigned lanes) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&wide, map);
  const llvm::DataLayout& layout = copy->getParent()->getDataLayout();
  streaming_form result{copy, 0};
  llvm::SmallVector<llvm::StoreInst*, 4> streams;
  {
    llvm::SmallSet<std::int64_t, 4> read;
    llvm::DominatorTree tree(*copy);
    const llvm::LoopInfo loops(tree);
    const llvm::PostDominatorTree post_tree(*copy);
    for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
      if (!instruction.mayReadFromMemory() || instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load)) continue;
      const llvm::Value* address = address_read(instruction);
      read.insert(address ? origin(address, *copy) : unknown);
    }
    for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      llvm::Type* type = address ? llvm::getLoadStoreType(&instruction) : nullptr;
      if (!type || !is_vector_of(type, lanes) || loops.getLoopFor(instruction.getParent())) continue;
      const std::uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
      result.bytes_per_item += bytes / lanes;
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      const bool whole = bytes >= 16 && bytes <= 64 && llvm::isPowerOf2_64(bytes);
      if (!store || !store->isSimple() || !whole || !post_tree.dominates(store->getParent(), &copy->getEntryBlock()))
        continue;
      const std::int64_t to = origin(address, *copy);
      if (to >= 0 && !read.contains(to) && !read.contains(unknown)) streams.push_back(store);
    }
  }
  if (streams.empty()) {
    copy->eraseFromParent();
    return {};
  }
  copy->setName(wide.getName() + ".streaming");
  llvm::IRBuilder<> builder(copy->getContext());
  llvm::MDNode* past_caches = llvm::MDNode::get(copy->getContext(), llvm::ConstantAsMetadata::get(builder.getInt32(1)));
  for (llvm::StoreInst* store : streams) {
    builder.SetInsertPoint(store);
    const std::uint64_t bytes = layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
    if (store->getAlign() >= bytes) {
      store->setMetadata(llvm::LLVMContext::MD_nontemporal, past_caches);
      continue;
    }
    llvm::Value* low =
        builder.CreateAnd(builder.CreatePtrToInt(store->getPointerOperand(), builder.getInt64Ty()), bytes - 1);
    llvm::Instruction *aligned = nullptr, *other = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(builder.CreateICmpEQ(low, builder.getInt64(0)), store, &aligned, &other);
    auto* past = llvm::cast<llvm::StoreInst>(store->clone());
    past->setAlignment(llvm::Align(bytes));
    past->setMetadata(llvm::LLVMContext::MD_nontemporal, past_caches);
    past->insertBefore(aligned->getIterator());
    store->moveBefore(other->getIterator());
  }
  return result;
}

}  // namespace sinter::passes
