#include "alike_loops.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "passes/alias_scopes.hpp"
#include "repeated_headers.hpp"

namespace sinter::passes {
namespace {

// Longer loops are not copied.
constexpr unsigned most_instructions = 300;

/// Whether the loop can have a copy without masks, and gains by it.
bool has_form(const llvm::Loop& loop, const lane_shapes& shapes) {
  const llvm::BasicBlock *header = loop.getHeader(), *before = loop.getLoopPreheader();
  if (!loop.isInnermost() || !shapes.is_divergent(&loop) || !before || shapes.mask(before) == lane_mask::partial)
    return false;
  if (!loop.getLoopLatch() || loop.getLoopLatch() == header || loop.getExitingBlock() != header) return false;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  if (!branch || !branch->isConditional() || !header_may_repeat(loop, repeated_at::same_iteration)) return false;
  unsigned size = 0;
  bool accesses = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    size += static_cast<unsigned>(block->size());
    for (const llvm::Instruction& each : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&each);
      if (call && (call->isConvergent() || call->cannotDuplicate())) return false;
      const bool plain = llvm::isa<llvm::LoadInst, llvm::StoreInst>(each);
      accesses |= plain && !shapes.of(llvm::getLoadStorePointerOperand(&each)).is_uniform();
    }
  }
  return accesses && size <= most_instructions;
}

/// Emits a test whether the condition holds in all active lanes. Inactive lanes do not vote, so the test is that no
/// lane votes for the opposite.
llvm::Value* all_of(llvm::IRBuilder<>& builder, llvm::Value* condition) {
  llvm::FunctionCallee ballot = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      "__sinter_sub_group_ballot", builder.getInt64Ty(), builder.getInt1Ty());
  llvm::cast<llvm::Function>(ballot.getCallee())->setConvergent();
  llvm::CallInst* against = builder.CreateCall(ballot, {builder.CreateNot(condition)});
  against->setConvergent();
  return builder.CreateIsNull(against);
}

void add_form(llvm::Loop& loop) {
  llvm::BasicBlock *header = loop.getHeader(), *before = loop.getLoopPreheader();
  llvm::Function& function = *header->getParent();
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::BasicBlock*, 8> copies;
  for (llvm::BasicBlock* block : loop.blocks()) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, map, ".alike", &function);
    map[block] = copy;
    copies.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(copies, map);
  renew_scopes(copies);
  auto* first = llvm::cast<llvm::BasicBlock>(map[header]);
  // The second loop begins with the iteration in which the first one ended, so its header tests the same iteration
  // again.
  llvm::BasicBlock* rest = llvm::BasicBlock::Create(function.getContext(), "rest", &function, header);
  llvm::IRBuilder<> builder(rest);
  builder.CreateBr(header);
  for (llvm::PHINode& phi : header->phis()) {
    const auto incoming = static_cast<unsigned>(phi.getBasicBlockIndex(before));
    phi.setIncomingValue(incoming, map[&phi]);
    phi.setIncomingBlock(incoming, rest);
  }
  auto* branch = llvm::cast<llvm::BranchInst>(first->getTerminator());
  builder.SetInsertPoint(branch);
  const bool goes_on = loop.contains(llvm::cast<llvm::BranchInst>(header->getTerminator())->getSuccessor(0));
  llvm::Value* stays = branch->getCondition();
  if (!goes_on) stays = builder.CreateNot(stays);
  builder.CreateCondBr(all_of(builder, stays), branch->getSuccessor(goes_on ? 0 : 1), rest);
  branch->eraseFromParent();
  before->getTerminator()->replaceSuccessorWith(header, first);
}

}  // namespace

bool go_on_alike(const lane_analyses& known) {
  bool found = false;
  for (llvm::Loop* loop : known.loops.getLoopsInPreorder()) {
    if (!has_form(*loop, known.shapes)) continue;
    add_form(*loop);
    found = true;
  }
  return found;
}

}  // namespace sinter::passes
