#include "guarded_stores.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

// The maximum number of instructions that are copied.
constexpr std::size_t longest_copy = 256;

/// Returns the block's instructions from the first to the last use of the mask. Returns an empty list if there are too
/// many instructions, or if one of them declares an alias scope.
llvm::SmallVector<llvm::Instruction*, 32> uses_between(llvm::BasicBlock& block, const llvm::Value* mask) {
  llvm::SmallVector<llvm::Instruction*, 32> found;
  std::size_t last = 0;
  for (llvm::Instruction& each : block) {
    if (llvm::isa<llvm::PHINode>(each) || each.isTerminator()) continue;
    const bool uses = llvm::is_contained(each.operands(), mask);
    if (found.empty() && !uses) continue;
    found.push_back(&each);
    if (uses) last = found.size();
  }
  found.truncate(last);
  const bool names_memory = llvm::any_of(found, [](auto* each) { return llvm::isa<llvm::NoAliasScopeDeclInst>(each); });
  if (found.size() > longest_copy || names_memory) return {};
  return found;
}

/// Replaces masked loads and stores that have this mask with accesses of all lanes.
void use_all_lanes(llvm::BasicBlock& block, llvm::Value* mask) {
  llvm::Constant* all = llvm::Constant::getAllOnesValue(mask->getType());
  for (llvm::Instruction& each : llvm::make_early_inc_range(block)) {
    auto* masked = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
    const bool loads = masked && masked->getIntrinsicID() == llvm::Intrinsic::masked_load;
    const bool stores = masked && masked->getIntrinsicID() == llvm::Intrinsic::masked_store;
    llvm::IRBuilder<> builder(&each);
    if (loads && mask_of(*masked) == mask) {
      llvm::LoadInst* load = builder.CreateAlignedLoad(masked->getType(), masked->getArgOperand(0),
                                                       masked_alignment(*masked));
      load->copyMetadata(*masked);
      masked->replaceAllUsesWith(load);
      masked->eraseFromParent();
    } else if (stores && mask_of(*masked) == mask) {
      builder.CreateAlignedStore(masked->getArgOperand(0), masked->getArgOperand(1),
                                 masked_alignment(*masked))->copyMetadata(*masked);
      masked->eraseFromParent();
    } else {
      each.replaceUsesOfWith(mask, all);
    }
  }
}

/// Adds a copy of these consecutive instructions. The copy runs if all lanes are active.
void add_copy(llvm::ArrayRef<llvm::Instruction*> stretch, llvm::Value* mask) {
  llvm::BasicBlock* before = stretch.front()->getParent();
  llvm::BasicBlock* some = llvm::SplitBlock(before, stretch.front());
  llvm::BasicBlock* behind = llvm::SplitBlock(some, stretch.back()->getNextNode());
  llvm::ValueToValueMapTy map;
  llvm::BasicBlock* all = llvm::CloneBasicBlock(some, map, ".all", before->getParent());
  llvm::remapInstructionsInBlocks({all}, map);
  for (llvm::Instruction* each : stretch) {
    const auto is_outside = [&](const llvm::Use& use) {
      return llvm::cast<llvm::Instruction>(use.getUser())->getParent() != some;
    };
    if (llvm::none_of(each->uses(), is_outside)) continue;
    llvm::IRBuilder<> builder(behind, behind->begin());
    llvm::PHINode* merged = builder.CreatePHI(each->getType(), 2);
    each->replaceUsesWithIf(merged, is_outside);
    merged->addIncoming(each, some);
    merged->addIncoming(map[each], all);
  }
  use_all_lanes(*all, mask);
  llvm::IRBuilder<> builder(before->getTerminator());
  builder.CreateCondBr(builder.CreateAndReduce(mask), all, some);
  before->getTerminator()->eraseFromParent();
}

void split(llvm::IntrinsicInst& masked) {
  llvm::Value *value = masked.getArgOperand(0), *address = masked.getArgOperand(1), *mask = mask_of(masked);
  llvm::IRBuilder<> builder(&masked);
  llvm::Instruction *then = nullptr, *otherwise = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(builder.CreateAndReduce(mask), masked.getIterator(), &then, &otherwise);
  builder.SetInsertPoint(then);
  builder.CreateAlignedStore(value, address, masked_alignment(masked))->copyMetadata(masked);
  masked.moveBefore(*otherwise->getParent(), otherwise->getIterator());
}

}  // namespace

void split_guarded_stores(llvm::Function& wide) {
  llvm::SmallVector<llvm::IntrinsicInst*, 4> stores;
  for (llvm::Instruction& instruction : llvm::instructions(wide)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || !call->hasMetadata(guarded_metadata)) continue;
    call->setMetadata(guarded_metadata, nullptr);
    if (call->getIntrinsicID() == llvm::Intrinsic::masked_store) stores.push_back(call);
  }
  llvm::SmallPtrSet<const llvm::Instruction*, 8> done;
  for (llvm::IntrinsicInst* masked : stores) {
    if (done.contains(masked)) continue;
    llvm::Value* mask = mask_of(*masked);
    const auto stretch = uses_between(*masked->getParent(), mask);
    if (stretch.empty()) {
      split(*masked);
      continue;
    }
    done.insert(stretch.begin(), stretch.end());
    add_copy(stretch, mask);
  }
}

} // namespace sinter::passes
