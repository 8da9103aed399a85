#include "stride_loops.hpp"

#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::jit::gpu {
namespace {

struct stride {
  llvm::PHINode* index;
  llvm::Value *step, *bound;
  llvm::ICmpInst* test;       ///< the comparison of the next index with the bound
  llvm::CmpInst::Predicate stays;  ///< less than, signed or unsigned: the loop continues while this holds
};

/// Whether the block declares alias scopes, which are valid for one iteration only.
bool declares_scopes(const llvm::BasicBlock& block) {
  return llvm::any_of(
      block, [](const llvm::Instruction& each) { return llvm::isa<llvm::NoAliasScopeDeclInst>(each); });
}

std::optional<stride> find_stride(const llvm::Loop& loop) {
  llvm::BasicBlock* block = loop.getHeader();
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (!branch || !branch->isConditional()) return std::nullopt;
  auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!test || !test->hasOneUse()) return std::nullopt;
  const llvm::CmpInst::Predicate stays =
      branch->getSuccessor(0) == block ? test->getPredicate() : test->getInversePredicate();
  for (unsigned side : {0u, 1u}) {
    llvm::Value *next = test->getOperand(side), *bound = test->getOperand(1 - side);
    const llvm::CmpInst::Predicate seen = side == 0 ? stays : llvm::CmpInst::getSwappedPredicate(stays);
    if (seen != llvm::CmpInst::ICMP_ULT && seen != llvm::CmpInst::ICMP_SLT) continue;
    for (llvm::PHINode& index : block->phis()) {
      llvm::Value* step = nullptr;
      if (next != index.getIncomingValueForBlock(block) ||
          !llvm::PatternMatch::match(
              next, llvm::PatternMatch::m_c_Add(llvm::PatternMatch::m_Specific(&index),
                                                llvm::PatternMatch::m_Value(step)))) {
        continue;
      }
      if (!loop.isLoopInvariant(step) || !loop.isLoopInvariant(bound) || llvm::isa<llvm::Constant>(step)) continue;
      return stride{&index, step, bound, test, seen};
    }
  }
  return std::nullopt;
}

/// Forbids LLVM to unroll the loop.
void keep_from_unrolling(llvm::BranchInst& latch) {
  llvm::LLVMContext& context = latch.getContext();
  llvm::Metadata* option = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* name = llvm::MDNode::getDistinct(context, {nullptr, option});
  name->replaceOperandWith(0, name);
  latch.setMetadata(llvm::LLVMContext::MD_loop, name);
}

/// Computes a bound for the index: below this bound, at least `together` iterations and one more remain. If the
/// computation may wrap around, the bound is the smallest number of the type, and no index is below it.
llvm::Value* bound_of(unsigned together, llvm::IRBuilder<>& builder, const stride& loop) {
  auto* type = llvm::cast<llvm::IntegerType>(loop.index->getType());
  const unsigned bits = type->getBitWidth();
  const auto power = [&](unsigned of_two) {
    return llvm::ConstantInt::get(type, llvm::APInt::getOneBitSet(bits, of_two));
  };
  const bool is_signed = loop.stays == llvm::CmpInst::ICMP_SLT;
  llvm::Value* distance = builder.CreateMul(loop.step, llvm::ConstantInt::get(type, together));
  // The comparison is unsigned, so that a negative step counts as too long.
  llvm::Value* can_add = builder.CreateICmpULT(loop.step, power(bits - 6));
  llvm::Value* is_low = builder.CreateICmp(loop.stays, loop.bound, power(bits - 2));
  llvm::Value* is_far = builder.CreateICmp(loop.stays, distance, loop.bound);
  llvm::Value* none = llvm::ConstantInt::get(
      type, is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits));
  return builder.CreateSelect(builder.CreateAnd({can_add, is_low, is_far}),
                              builder.CreateSub(loop.bound, distance), none);
}

}  // namespace

bool unroll_stride_loop(llvm::Loop& loop, unsigned together) {
  llvm::BasicBlock *block = loop.getHeader(), *before = loop.getLoopPreheader();
  if (loop.getNumBlocks() != 1 || !before || declares_scopes(*block)) return false;
  const std::optional<stride> found = find_stride(loop);
  if (!found || found->index->getType()->getIntegerBitWidth() < 32) return false;

  llvm::BasicBlock* fast = llvm::BasicBlock::Create(block->getContext(), "strides", block->getParent(), block);
  llvm::Instruction* entering = before->getTerminator();
  llvm::IRBuilder<> builder(entering);
  llvm::Value* bound = bound_of(together, builder, *found);
  llvm::Value* first = found->index->getIncomingValueForBlock(before);
  builder.CreateCondBr(builder.CreateICmp(found->stays, first, bound), fast, block);
  entering->eraseFromParent();

  llvm::ValueToValueMapTy values;
  builder.SetInsertPoint(fast);
  for (llvm::PHINode& each : block->phis()) {
    llvm::PHINode* copy = builder.CreatePHI(each.getType(), 2, each.getName());
    copy->addIncoming(each.getIncomingValueForBlock(before), before);
    values[&each] = copy;
  }
  llvm::SmallVector<llvm::PHINode*, 8> copies;
  for (llvm::PHINode& each : block->phis()) copies.push_back(llvm::cast<llvm::PHINode>(values[&each]));
  for (unsigned i = 0; i < together; ++i) {
    for (llvm::Instruction& each : *block) {
      if (llvm::isa<llvm::PHINode>(each) || each.isTerminator() || &each == found->test) continue;
      llvm::Instruction* copy = each.clone();
      builder.Insert(copy, each.getName());
      llvm::RemapInstruction(copy, values, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      values[&each] = copy;
    }
    // All phis are replaced at once, because one phi may be the old value of another phi.
    llvm::SmallVector<llvm::Value*, 8> next;
    for (llvm::PHINode& each : block->phis()) {
      llvm::Value* value = each.getIncomingValueForBlock(block);
      const auto mapped = values.find(value);
      next.push_back(mapped == values.end() ? value : static_cast<llvm::Value*>(mapped->second));
    }
    for (auto [phi, value] : llvm::zip(block->phis(), next)) values[&phi] = value;
  }
  for (auto [phi, copy] : llvm::zip(block->phis(), copies)) {
    copy->addIncoming(values[&phi], fast);
    phi.addIncoming(values[&phi], fast);
  }
  keep_from_unrolling(
      *builder.CreateCondBr(builder.CreateICmp(found->stays, values[found->index], bound), fast, block));
  return true;
}

}  // namespace sinter::jit::gpu
