#include "local_stores.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes/work_items/local_atomics.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

// A block may have this many instructions if the branch to the block is removed. The number is small, because without
// the branch, all these instructions always run.
constexpr unsigned most_instructions = 16;

/// Returns the last load of `pointer` in `block` if no write follows the load in this block, otherwise null.
llvm::LoadInst* known_value(llvm::BasicBlock& block, const llvm::Value* pointer, const llvm::Type* type) {
  for (llvm::Instruction& instruction : llvm::reverse(block)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load && load->isSimple() && load->getPointerOperand() == pointer && load->getType() == type) return load;
    if (instruction.mayWriteToMemory()) return nullptr;
  }
  return nullptr;
}

bool may_run_always(llvm::BasicBlock& guarded, llvm::BasicBlock& before, const lane_orders& orders) {
  const llvm::Value* local_base = guarded.getParent()->getArg(parameter_local_base);
  const lane_orders::group* together = nullptr;
  if (guarded.sizeWithoutDebug() > most_instructions) return false;
  for (llvm::Instruction& instruction : guarded) {
    if (instruction.isTerminator() || instruction.isDebugOrPseudoInst()) continue;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Type* type = store->getValueOperand()->getType();
      if (!store->isSimple() || !is_local_memory(store->getPointerOperand(), local_base)) return false;
      const llvm::LoadInst* load = known_value(before, store->getPointerOperand(), type);
      const lane_orders::group* group = load ? orders.of(*load) : nullptr;
      if (!group || (together && group != together)) return false;
      together = group;
    } else if (instruction.mayReadOrWriteMemory() || !llvm::isSafeToSpeculativelyExecute(&instruction)) {
      return false;
    }
  }
  return together != nullptr;
}

/// Joins `guarded` with the block of `branch`. `branch` leads to `guarded` or directly to `behind`.
void join(llvm::BranchInst& branch, llvm::BasicBlock& guarded, llvm::BasicBlock& behind) {
  llvm::BasicBlock& before = *branch.getParent();
  llvm::Value* condition = branch.getCondition();
  const bool if_true = branch.getSuccessor(0) == &guarded;
  llvm::IRBuilder<> builder(branch.getContext());
  auto chosen = [&](llvm::Value* then, llvm::Value* otherwise) {
    return builder.CreateSelect(condition, if_true ? then : otherwise, if_true ? otherwise : then);
  };
  for (llvm::Instruction& instruction : guarded) {
    const llvm::AAMDNodes memory = instruction.getAAMetadata();
    instruction.dropUBImplyingAttrsAndMetadata();
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store) continue;
    builder.SetInsertPoint(store);
    llvm::LoadInst* load = known_value(before, store->getPointerOperand(), store->getValueOperand()->getType());
    store->setAAMetadata(memory.merge(load->getAAMetadata()));
    store->setAlignment(std::min(store->getAlign(), load->getAlign()));
    store->setOperand(0, chosen(store->getValueOperand(), load));
  }
  before.splice(branch.getIterator(), &guarded, guarded.begin(), guarded.getTerminator()->getIterator());
  builder.SetInsertPoint(&branch);
  for (llvm::PHINode& phi : behind.phis()) {
    llvm::Value *then = phi.getIncomingValueForBlock(&guarded), *otherwise = phi.getIncomingValueForBlock(&before);
    if (then != otherwise) phi.setIncomingValueForBlock(&before, chosen(then, otherwise));
  }
  behind.removePredecessor(&guarded, /*KeepOneInputPHIs=*/true);
  builder.CreateBr(&behind);
  branch.eraseFromParent();
  guarded.eraseFromParent();
  llvm::MergeBlockIntoPredecessor(&behind);
}

/// Removes one branch that guards stores to local memory. Returns false if there is no such branch.
bool unguard_one(lane_region& region) {
  llvm::Function& work_item = region.function();
  const lane_shapes& shapes = region.known().shapes;
  if (shapes.failure()) return false;
  const lane_orders orders(work_item, shapes);
  for (llvm::BasicBlock& block : work_item) {
    llvm::BasicBlock *before = block.getSinglePredecessor(), *behind = block.getSingleSuccessor();
    auto* branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
    if (!behind || !branch || !branch->isConditional() || behind == &block) continue;
    if (branch->getSuccessor(0) != behind && branch->getSuccessor(1) != behind) continue;
    if (!may_run_always(block, *before, orders)) continue;
    join(*branch, block, *behind);
    region.changed();
    return true;
  }
  return false;
}

}  // namespace

void unguard_local_stores(lane_region& region) {
  // Most kernels have no local memory.
  while (!region.function().getArg(parameter_local_base)->use_empty() && unguard_one(region)) {
  }
}

}  // namespace sinter::passes
