#include "loops_in_step.hpp"

#include <optional>

#include "common_loops.hpp"
#include "loop_accesses.hpp"
#include "passes/alias_scopes.hpp"
#include "passes/convergence.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Support/KnownBits.h"
#include "passes/lanes/few_turns.hpp"
#include "passes/lanes/repeated_headers.hpp"
#include "passes/lanes/upward_steps.hpp"
#include "passes/llvm_versions.hpp"
#include "passes/work_items/local_atomics.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned deepest_loop_value = 8;
constexpr std::uint64_t cache_line = 64;
// Memory is prefetched two iterations ahead, because one iteration may be shorter than an access to memory. With these
// prefetches, the histogram of benchmarks/cpu takes 9 ms instead of 34.
constexpr unsigned iterations_ahead = 2;
// If the addresses of two iterations are more bytes apart than this (two pages), the processor does not prefetch by
// itself.
constexpr std::int64_t far_apart = 8192;
// The largest number of values that each work-item may keep in memory from iteration to iteration.
constexpr unsigned most_kept = 4;
// The largest number of instructions in a loop that is duplicated without a barrier.
constexpr unsigned most_alike = 60;

/// Whether a value is the work-item's position along the last dimension, plus a number that is equal in the whole
/// group.
bool follows_position(const llvm::Value* value, const lane_shapes& shapes, unsigned depth = 0) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    return argument->getArgNo() == parameter_global_id + 2 || argument->getArgNo() == parameter_local_id + 2;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > deepest_loop_value) return false;
  if (llvm::isa<llvm::TruncInst>(instruction)) return follows_position(instruction->getOperand(0), shapes, depth + 1);
  if (instruction->getOpcode() != llvm::Instruction::Add) return false;
  const llvm::Value *left = instruction->getOperand(0), *right = instruction->getOperand(1);
  if (shapes.of(left).is_uniform()) std::swap(left, right);
  return shapes.of(right).is_uniform() && follows_position(left, shapes, depth + 1);
}

/// Several work-items meet at the barrier. Returns the value of the first of these work-items.
llvm::Value* of_first(llvm::IRBuilder<>& builder, llvm::Value* value, const lane_shapes& shapes, bool in_rows) {
  if (auto* argument = llvm::dyn_cast<llvm::Argument>(value);
      argument && argument->getArgNo() == parameter_local_id + 2) {
    return builder.getInt64(0);
  }
  if (shapes.of(value).is_uniform()) return value;
  if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    llvm::Function& function = *argument->getParent();
    if (in_rows) return builder.CreateSub(argument, function.getArg(parameter_item));
    llvm::Value* before =
        builder.CreateMul(function.getArg(parameter_group_id + 2), function.getArg(parameter_local_range + 2));
    return builder.CreateAdd(before, function.getArg(parameter_global_offset + 2));
  }
  auto* instruction = llvm::cast<llvm::Instruction>(value);
  if (llvm::isa<llvm::TruncInst>(instruction)) {
    return builder.CreateTrunc(of_first(builder, instruction->getOperand(0), shapes, in_rows), instruction->getType());
  }
  return builder.CreateAdd(of_first(builder, instruction->getOperand(0), shapes, in_rows),
                           of_first(builder, instruction->getOperand(1), shapes, in_rows));
}

/// Returns the work-item's position among the work-items that meet at the barrier.
llvm::Argument* position_in_row(llvm::Function& function, bool in_rows) {
  return function.getArg(in_rows ? unsigned{parameter_item} : parameter_local_id + 2);
}
llvm::Argument* row_length(llvm::Function& function, bool in_rows) {
  return function.getArg(in_rows ? unsigned{parameter_item_count} : parameter_local_range + 2);
}

bool counts_in_local_memory(const llvm::Loop& loop) {
  const llvm::Value* local_base = loop.getHeader()->getParent()->getArg(parameter_local_base);
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      if (update && update->use_empty() && is_local_memory(update->getPointerOperand(), local_base)) return true;
    }
  }
  return false;
}

/// The number of values besides the counter that each work-item keeps from iteration to iteration.
unsigned kept_values(const llvm::Loop& loop, const llvm::PHINode& index, const lane_shapes& shapes) {
  const auto own = [&](const llvm::PHINode& phi) { return &phi != &index && !shapes.of(&phi).is_uniform(); };
  return static_cast<unsigned>(llvm::count_if(loop.getHeader()->phis(), own));
}

/// Whether barriers make the loop faster. This is so if its work-items count in local memory or go across rows, and
/// keep few values.
bool is_better_in_step(const llvm::Loop& loop, unsigned kept, const step_request& request, bool counts) {
  if (counts) return kept == 0;
  return request.lanes && kept <= most_kept &&
         goes_across_rows(loop, {*request.lanes, request.items, far_apart, /*follow_each_other=*/!request.in_rows});
}

/// Whether the bound is a multiple of the largest number of lanes. Lanes then need no masks even without this pass.
bool is_of_whole_vectors(const llvm::Value& bound) {
  constexpr unsigned bits_of_most_lanes = 4;
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(&bound);
  return known && known->getValue().countr_zero() >= bits_of_most_lanes;
}

/// Whether the loop has so few iterations that it will be unrolled (few_turns.hpp).
bool has_few_turns(const llvm::Value& step, const llvm::Value& bound) {
  const auto* by = llvm::dyn_cast<llvm::ConstantInt>(&step);
  const auto* end = llvm::dyn_cast<llvm::ConstantInt>(&bound);
  return by && end && by->getValue().isStrictlyPositive() && by->getValue().isSignedIntN(31) &&
         end->getValue().ule(most_turns * by->getZExtValue());
}

/// Whether the row of the next iteration begins where this row ends.
bool follows_directly(const llvm::Value& step, const step_request& request) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(&step);
  return known ? known->getValue() == request.items : is_row_length(&step);
}

/// If the loop needs no barrier: whether a copy of the loop without masks is worth its additional code.
bool may_go_on_alike(const llvm::Loop& loop, const step_request& request) {
  unsigned size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    size += static_cast<unsigned>(block->size());
    if (llvm::any_of(*block, [](const llvm::Instruction& each) {
          const auto* call = llvm::dyn_cast<llvm::CallBase>(&each);
          return call && call->isConvergent();
        }))
      return false;
  }
  return request.lanes && !request.in_rows && size <= most_alike;
}

std::optional<counted_loop> understand(llvm::Loop& loop, const lane_shapes& shapes, const step_request& request) {
  llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  if (!loop.isInnermost() || !latch || latch == header || !before || loop.getExitingBlock() != header) return {};
  // All work-items must reach the barrier.
  if (shapes.mask(before) == lane_mask::partial) return {};
  const bool counts = !request.in_rows && counts_in_local_memory(loop);
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  auto* compare = branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || compare->getParent() != header) return {};
  // The header runs once more for each work-item, perhaps at a position that the original loop never reaches. So the
  // header must have no effect at such a position. A load of a captured bound, with the computation of its address, may
  // move in front of the loop.
  if (!header_may_repeat(loop, repeated_at::other_iteration)) {
    for (llvm::Value* each : compare->operand_values()) move_in_front(loop, each, *before->getTerminator());
    if (!header_may_repeat(loop, repeated_at::other_iteration)) return {};
  }
  counted_loop result{&loop, nullptr, nullptr, nullptr, compare->getPredicate(), branch->getSuccessor(0), counts};
  if (!loop.contains(result.inside)) {
    result.inside = branch->getSuccessor(1);
    result.predicate = llvm::CmpInst::getInversePredicate(result.predicate);
  }
  llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  if (shapes.of(left).is_uniform()) {
    std::swap(left, right);
    result.predicate = llvm::CmpInst::getSwappedPredicate(result.predicate);
  }
  result.index = llvm::dyn_cast<llvm::PHINode>(left);
  result.bound = right;
  // LLVM makes a comparison unsigned if both numbers have the same sign, but sums of these numbers stay signed.
  if (has_same_sign(*compare) && llvm::CmpInst::isUnsigned(result.predicate))
    result.predicate = llvm::ICmpInst::getSignedPredicate(result.predicate);
  const bool upwards = llvm::ICmpInst::isLT(result.predicate) || llvm::ICmpInst::isLE(result.predicate);
  if (!upwards || !result.index || result.index->getParent() != header || !shapes.of(right).is_uniform()) return {};
  if (!result.index->getType()->isIntegerTy(32) && !result.index->getType()->isIntegerTy(64)) return {};
  const unsigned kept = kept_values(loop, *result.index, shapes);
  result.meets = is_better_in_step(loop, kept, request, counts);
  if (!result.meets && (!may_go_on_alike(loop, request) || is_of_whole_vectors(*right))) return {};
  auto* next = llvm::dyn_cast<llvm::BinaryOperator>(result.index->getIncomingValueForBlock(latch));
  if (!next || next->getOpcode() != llvm::Instruction::Add || next->getOperand(0) != result.index) return {};
  result.step = next->getOperand(1);
  move_in_front(loop, result.step, *before->getTerminator());
  if (!counts && has_few_turns(*result.step, *right)) return {};
  // The new loop adds the step at the end of the iteration, so the step must be available there.
  const auto* step = llvm::dyn_cast<llvm::Instruction>(result.step);
  if (!shapes.of(result.step).is_uniform() || (step && loop.contains(step) && step->getParent() != header)) return {};
  if (!follows_position(result.index->getIncomingValueForBlock(before), shapes)) return {};
  result.follows = follows_directly(*result.step, request);
  if (result.meets && !counts && kept != 0 && !result.follows) result.rows = rows_at_once;
  return result;
}

/// Returns the last work-item's counter in the iteration in which the first work-item's counter is `first`.
llvm::Value* last_of(llvm::IRBuilder<>& builder, llvm::Value* first, bool in_rows) {
  llvm::Value* length = row_length(*builder.GetInsertBlock()->getParent(), in_rows);
  length = builder.CreateTrunc(builder.CreateSub(length, builder.getInt64(1)), first->getType());
  return builder.CreateAdd(first, length);
}

/// Emits the condition that no counter wraps between the first and the last work-item.
llvm::Value* in_order(llvm::IRBuilder<>& builder, const counted_loop& what, llvm::Value* first, llvm::Value* last) {
  const bool is_signed = llvm::CmpInst::isSigned(what.predicate);
  return builder.CreateICmp(is_signed ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE, first, last);
}

/// Emits the condition that all work-items of the group run the iteration in which the first work-item's counter is
/// `first`.
llvm::Value* fits(llvm::IRBuilder<>& builder, const counted_loop& what, llvm::Value* first, llvm::Value* bound,
                  bool in_rows) {
  llvm::Value* last = last_of(builder, first, in_rows);
  llvm::Value* no_wrap = in_order(builder, what, first, last);
  return builder.CreateAnd(no_wrap, builder.CreateICmp(what.predicate, last, bound));
}

/// Prefetches cache lines of later iterations, which are far away. If the work-items run one by one, the first
/// work-item that reads a line prefetches the line of a later iteration. The lanes of a vector make one prefetch
/// together.
void fetch_ahead(const counted_loop& what, llvm::LoadInst& load, llvm::Value* index, llvm::Value* step) {
  auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(load.getPointerOperand());
  const std::uint64_t size = load.getModule()->getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
  if (!address || address->getNumIndices() != 1) return;
  const llvm::Value* place_of = *address->idx_begin();
  if (const auto* extended = llvm::dyn_cast<llvm::SExtInst>(place_of)) place_of = extended->getOperand(0);
  if (place_of != index || size >= cache_line || !llvm::isPowerOf2_64(size)) return;
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(what.step);
  const bool is_near = known ? known->getValue().abs().ult(static_cast<std::uint64_t>(far_apart) / size)
                             : is_row_length(what.step);
  if (is_near) return;
  llvm::IRBuilder<> builder(&load);
  if (what.counts) {
    llvm::Value* local_id = load.getFunction()->getArg(parameter_local_id + 2);
    llvm::Value* first = builder.CreateIsNull(builder.CreateAnd(local_id, cache_line / size - 1));
    builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(first, load.getIterator(), /*Unreachable=*/false));
  }
  llvm::Value* later =
      builder.CreateAdd(index, builder.CreateMul(step, llvm::ConstantInt::get(step->getType(), iterations_ahead)));
  llvm::Value* place = builder.CreateGEP(address->getSourceElementType(), address->getPointerOperand(), later);
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                          {place, builder.getInt32(0), builder.getInt32(3), builder.getInt32(1)});
}

/// Whether the counter starts at zero or above and goes up without wrapping. If so, the position from which a work-item
/// continues alone does not wrap.
bool counts_up_from_zero(const counted_loop& what) {
  const llvm::DataLayout& layout = what.index->getModule()->getDataLayout();
  const auto* next = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(
      what.index->getIncomingValueForBlock(what.loop->getLoopLatch()));
  const auto is_positive = [&](const llvm::Value* value) {
    return llvm::computeKnownBits(value, layout).isNonNegative();
  };
  return llvm::CmpInst::isSigned(what.predicate) && next && next->getOpcode() == llvm::Instruction::Add &&
         next->hasNoSignedWrap() && is_positive(what.step) &&
         is_positive(what.index->getIncomingValueForBlock(what.loop->getLoopPreheader()));
}

/// LLVM may have replaced sign extensions of a positive counter by zero extensions (zext nneg). LLVM does not know that
/// the sum which replaces the counter is positive. So a signed sum gets a sign extension again, and an unsigned sum
/// gets a zext without this flag.
void widen_as_sum(llvm::PHINode& index, bool is_signed) {
  for (llvm::User* user : llvm::make_early_inc_range(index.users())) {
    auto* widened = llvm::dyn_cast<llvm::ZExtInst>(user);
    if (!widened || !widened->hasNonNeg()) continue;
    if (!is_signed) {
      widened->setNonNeg(false);
      continue;
    }
    widened->replaceAllUsesWith(llvm::IRBuilder<>(widened).CreateSExt(&index, widened->getType()));
    widened->eraseFromParent();
  }
}

/// Whether code after the loop uses only phis of the header and values from outside of the loop.
bool leaves_with_phis(const llvm::Loop& loop, const llvm::BasicBlock& exit) {
  return llvm::all_of(exit.phis(), [&](const llvm::PHINode& phi) {
    const auto* value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(loop.getHeader()));
    return !value || !loop.contains(value) ||
           (llvm::isa<llvm::PHINode>(value) && value->getParent() == loop.getHeader());
  });
}

void add_steps(const counted_loop& what, const lane_shapes& shapes, const step_request& request) {
  const bool in_rows = request.in_rows;
  llvm::Loop& loop = *what.loop;
  llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  llvm::Function& function = *header->getParent();
  const bool up = counts_up_from_zero(what);
  widen_as_sum(*what.index, llvm::CmpInst::isSigned(what.predicate));
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::BasicBlock*, 8> copies;
  for (llvm::BasicBlock* block : loop.blocks()) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, map, ".step", &function);
    map[block] = copy;
    copies.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(copies, map);
  renew_scopes(copies);
  llvm::SmallVector<llvm::LoadInst*, 4> loads;
  for (llvm::BasicBlock* block : copies) {
    for (llvm::Instruction& instruction : *block) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
    }
  }
  auto copy_of = [&](llvm::Value* value) {
    const auto found = map.find(value);
    return found == map.end() ? value : static_cast<llvm::Value*>(found->second);
  };
  auto* steps = llvm::cast<llvm::BasicBlock>(copy_of(header));
  auto* end = llvm::cast<llvm::BasicBlock>(copy_of(latch));
  auto* index = llvm::cast<llvm::PHINode>(copy_of(what.index));
  llvm::Type* type = index->getType();

  // The new counter is the counter of the group's first work-item. Each work-item adds its position to the new counter.
  llvm::IRBuilder<> builder(before->getTerminator());
  llvm::Value* start = of_first(builder, what.index->getIncomingValueForBlock(before), shapes, in_rows);
  builder.SetInsertPoint(steps, steps->begin());
  llvm::PHINode* first = builder.CreatePHI(type, 2, "first");
  builder.SetInsertPoint(steps, steps->getFirstInsertionPt());
  // No work-item's position wraps in an iteration that runs: `fits` has tested that.
  const bool is_signed = llvm::CmpInst::isSigned(what.predicate);
  auto position = [&](bool wraps) {
    llvm::Value* within = builder.CreateTrunc(position_in_row(function, in_rows), type);
    return builder.CreateAdd(first, within, "", !wraps && !is_signed, !wraps && is_signed);
  };
  llvm::Value* own = position(/*wraps=*/false);
  index->replaceAllUsesWith(own);
  index->eraseFromParent();
  builder.SetInsertPoint(end->getTerminator());
  first->addIncoming(start, before);
  first->addIncoming(builder.CreateAdd(first, copy_of(what.step)), end);
  if (what.meets) meet_in_loop({steps, before, end, what.rows});

  // The block `rest` leads to the remaining iterations.
  llvm::BasicBlock* rest = llvm::BasicBlock::Create(function.getContext(), "rest", &function, header);
  builder.SetInsertPoint(steps->getTerminator());
  llvm::Value* goes_on = fits(builder, what, first, copy_of(what.bound), in_rows);
  builder.CreateCondBr(goes_on, llvm::cast<llvm::BasicBlock>(copy_of(what.inside)), rest);
  steps->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(rest);
  // A barrier separates the remaining iterations, so that the region with the common iterations has no inner loop: the
  // loop over its vectors can be unrolled, and kept values may stay in registers. Even if these don't fit, the region
  // is faster: groups of 128 and 256 sum up 64 rows of 4096 floats, which are in the cache, in 0.41 and 0.48 ms instead
  // of 0.73 and 0.80 (64 launches, AVX2).
  const bool keeps =
      what.meets && what.rows == 1 && !what.counts && !in_rows && !llvm::hasSingleElement(header->phis());
  llvm::BasicBlock* exit = keeps ? loop.getExitBlock() : nullptr;
  if (exit && leaves_with_phis(loop, *exit)) {
    // If the first work-item has no remaining iteration, no work-item has one, unless the counter of a later work-item
    // wraps.
    llvm::Value* goes_on_alone = builder.CreateICmp(what.predicate, first, copy_of(what.bound));
    if (!up) {
      llvm::Value* no_wrap = in_order(builder, what, first, last_of(builder, first, in_rows));
      goes_on_alone = builder.CreateOr(goes_on_alone, builder.CreateNot(no_wrap));
    }
    // Another barrier separates the code behind the loop, which then has no loop inside, either: values stay in
    // registers on the way to it, too, unless there are remaining iterations.
    llvm::BasicBlock* met = llvm::BasicBlock::Create(function.getContext(), "met", &function, exit);
    llvm::BasicBlock* alone = llvm::BasicBlock::Create(function.getContext(), "alone", &function, header);
    const auto leave_through = [&](llvm::PHINode& phi) {
      llvm::Value* value = phi.getIncomingValueForBlock(header);
      auto* kept = llvm::dyn_cast<llvm::PHINode>(value);
      const bool is_own = kept && kept->getParent() == header;
      llvm::Value* all = !is_own ? value : kept == what.index ? position(/*wraps=*/!up) : copy_of(kept);
      llvm::PHINode* either = llvm::PHINode::Create(phi.getType(), 2, "", met);
      either->addIncoming(value, header);
      either->addIncoming(all, rest);
      const auto place = static_cast<unsigned>(phi.getBasicBlockIndex(header));
      phi.setIncomingValue(place, either);
      phi.setIncomingBlock(place, met);
    };
    for (llvm::PHINode& phi : exit->phis()) leave_through(phi);
    builder.CreateCondBr(goes_on_alone, alone, met);
    header->getTerminator()->replaceSuccessorWith(exit, met);
    builder.SetInsertPoint(met);
    create_barrier(builder, abi::scope::work_group);
    builder.CreateBr(exit);
    builder.SetInsertPoint(alone);
    rest = alone;
  }
  if (keeps) create_barrier(builder, abi::scope::work_group);
  llvm::Value* from = position(/*wraps=*/!up);
  builder.CreateBr(header);
  for (llvm::PHINode& phi : header->phis()) {
    const int incoming = phi.getBasicBlockIndex(before);
    phi.setIncomingValue(static_cast<unsigned>(incoming), &phi == what.index ? from : copy_of(&phi));
    phi.setIncomingBlock(static_cast<unsigned>(incoming), rest);
  }
  before->getTerminator()->replaceSuccessorWith(header, steps);
  if (!what.meets || what.rows > 1) return;
  for (llvm::LoadInst* load : loads) fetch_ahead(what, *load, own, copy_of(what.step));
}

}  // namespace

std::vector<counted_loop> find_counted_loops(const llvm::LoopInfo& loops, const lane_shapes& all,
                                             const step_request& request) {
  std::vector<counted_loop> found;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (const auto counted = understand(*loop, all, request)) found.push_back(*counted);
  }
  return found;
}

void walk_in_step(const std::vector<counted_loop>& loops, const lane_shapes& all, const step_request& request) {
  for (const counted_loop& each : loops) add_steps(each, all, request);
}

}  // namespace sinter::passes
