#include "streaming_stores.hpp"

#include <numeric>

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
#include "passes/device/work_item_function.hpp"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

constexpr std::int64_t unknown = -1, private_memory = -2;

/// An address is computed from a pointer in the argument block. This function returns the offset of the pointer in the
/// block. In a fused kernel, which has an array of argument blocks, the offset includes the block's position in this
/// array.
std::int64_t origin(const llvm::Value* address, const llvm::Function& function) {
  const llvm::Value* object = llvm::getUnderlyingObject(address, 0);
  if (llvm::isa<llvm::AllocaInst>(object)) return private_memory;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
  if (!load) return unknown;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  auto strip = [&](const llvm::LoadInst& from, llvm::APInt& offset) {
    return from.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  };
  llvm::APInt offset(64, 0), place(64, 0);
  const llvm::Value* block = strip(*load, offset);
  if (block == function.getArg(parameter_block)) return offset.getSExtValue();
  const auto* member = llvm::dyn_cast<llvm::LoadInst>(block);
  if (!member || strip(*member, place) != function.getArg(parameter_block)) return unknown;
  constexpr unsigned block_bits = 32;
  return offset.isIntN(block_bits) ? (place.getSExtValue() + 1) << block_bits | offset.getSExtValue() : unknown;
}

/// Returns the address from which an instruction reads, or null if the address is unknown. For atomics and fences, the
/// address counts as unknown, because stores that bypass the caches are not ordered with them.
const llvm::Value* address_read(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() ? load->getPointerOperand() : nullptr;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call) return nullptr;
  const llvm::Intrinsic::ID id = call->getIntrinsicID();
  return id == llvm::Intrinsic::masked_gather || id == llvm::Intrinsic::masked_load ? call->getArgOperand(0) : nullptr;
}

constexpr std::uint64_t store_bytes = 16;

/// Stores the value by several 16-byte stores that bypass the caches.
void store_pieces(llvm::IRBuilder<>& builder, llvm::StoreInst& store, unsigned count, llvm::MDNode* past_caches) {
  llvm::Value* whole = store.getValueOperand();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(whole->getType())->getNumElements() / count;
  for (unsigned i = 0; i < count; ++i) {
    llvm::SmallVector<int, 16> elements(lanes);
    std::iota(elements.begin(), elements.end(), static_cast<int>(i * lanes));
    llvm::Value* to =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), store.getPointerOperand(), i * store_bytes);
    llvm::StoreInst* piece =
        builder.CreateAlignedStore(builder.CreateShuffleVector(whole, elements), to, llvm::Align(store_bytes));
    piece->copyMetadata(store);
    piece->setMetadata(llvm::LLVMContext::MD_nontemporal, past_caches);
  }
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
  streaming_form result{copy};
  llvm::SmallVector<llvm::StoreInst*, 4> streams;
  {
    llvm::SmallSet<std::int64_t, 4> read, counted;
    llvm::DominatorTree tree(*copy);
    const llvm::LoopInfo loops(tree);
    const llvm::PostDominatorTree post_tree(*copy);
    for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
      if (!instruction.mayReadFromMemory() || instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load)) continue;
      if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) continue;
      const llvm::Value* address = address_read(instruction);
      read.insert(address ? origin(address, *copy) : unknown);
    }
    for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      llvm::Type* type = address ? llvm::getLoadStoreType(&instruction) : nullptr;
      if (!type || !is_vector_of(type, lanes) || loops.getLoopFor(instruction.getParent())) continue;
      const std::uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
      const std::int64_t object = origin(address, *copy);
      // Each array counts only once, although a work-item may also access neighbours of its element: other work-items
      // bring these elements into the cache anyway.
      if (object < 0 || counted.insert(object).second) result.bytes_per_item += bytes / lanes;
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      const bool whole = bytes >= 16 && bytes <= 64 && llvm::isPowerOf2_64(bytes);
      if (!store || !store->isSimple() || !whole || !post_tree.dominates(store->getParent(), &copy->getEntryBlock()))
        continue;
      if (object >= 0 && !read.contains(object) && !read.contains(unknown)) streams.push_back(store);
    }
    // If stores to several arrays alternate, cache lines leave the processor in parts, which is slower than stores
    // through the caches.
    if (streams.size() > 1) streams.clear();
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
    result.store_bytes = bytes;
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
    // If the address is not aligned to the whole vector, 16-byte stores may still bypass the caches. Memory that this
    // library did not allocate mostly begins at a multiple of 16.
    if (bytes > store_bytes) {
      llvm::Instruction *halfway = nullptr, *nowhere = nullptr;
      builder.SetInsertPoint(other);
      llvm::Value* rest = builder.CreateAnd(low, store_bytes - 1);
      llvm::SplitBlockAndInsertIfThenElse(builder.CreateICmpEQ(rest, builder.getInt64(0)), other, &halfway, &nowhere);
      builder.SetInsertPoint(halfway);
      store_pieces(builder, *store, static_cast<unsigned>(bytes / store_bytes), past_caches);
      other = nowhere;
    }
    store->moveBefore(*other->getParent(), other->getIterator());
  }
  return result;
}

}  // namespace sinter::passes
