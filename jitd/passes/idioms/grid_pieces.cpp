#include "grid_pieces.hpp"

#include <optional>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "loop_accesses.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned deepest_value = 12, most_pairs = 16;

bool is_known_before(const llvm::Value* value, unsigned depth = 0) {
  if (llvm::isa<llvm::Constant>(value)) return true;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    const unsigned number = argument->getArgNo();
    return number == parameter_block || (number >= parameter_global_range && number < parameter_local_base);
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > deepest_value || llvm::isa<llvm::PHINode>(instruction)) return false;
  if (instruction->mayReadOrWriteMemory() && !instruction->hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return false;
  return llvm::all_of(instruction->operand_values(),
                      [&](const llvm::Value* operand) { return is_known_before(operand, depth + 1); });
}

/// An access at `base` + `bytes` * index. The base is equal in all iterations of all work-items.
struct linear_access {
  llvm::Value* base;
  std::uint64_t bytes;
  bool writes;
};

/// The id at which a counter begins.
struct grid_start {
  bool has_offset = true;      ///< whether the start is the global id, which contains the launch's offset
  llvm::Value* row = nullptr;  ///< for local id + row * group id: the factor `row`; null: the factor is the group's
                               ///< size
};

struct grid_loop {
  llvm::BasicBlock *before, *header, *inside;
  llvm::PHINode* index;
  llvm::ICmpInst* compare;
  llvm::BinaryOperator* next;
  llvm::Value* bound;
  bool is_signed, is_positive;
  grid_start start{};
  llvm::SmallVector<linear_access, 8> accesses{};
};

const llvm::Value* behind_casts(const llvm::Value* value) {
  while (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  return value;
}

// The smallest constant step that may be a grid's size. In a smaller grid, groups would get too few iterations.
constexpr std::uint64_t least_grid = 2048;

bool is_parameter(const llvm::Value* value, unsigned number) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(value);
  return argument && argument->getArgNo() == number;
}

/// Whether the step is the number of all work-items, or a number passed by the program that may be equal to the number
/// of work-items.
bool may_be_grid_step(const llvm::Value* step) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(step))
    return !known->isNegative() && known->getValue().uge(least_grid);
  const llvm::Value* number = behind_casts(step);
  if (is_parameter(number, parameter_global_range + 2)) return true;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(number);
  if (!instruction || !is_known_before(number)) return false;
  const auto counts_groups = [](const llvm::Value* factor) {
    return is_parameter(behind_casts(factor), parameter_group_range + 2);
  };
  const unsigned operation = instruction->getOpcode();
  return operation == llvm::Instruction::Load ||
         ((operation == llvm::Instruction::Mul || operation == llvm::Instruction::Shl) &&
          llvm::any_of(instruction->operand_values(), counts_groups));
}

std::optional<linear_access> understand_access(llvm::Instruction& instruction, const grid_loop& loop) {
  auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(llvm::getLoadStorePointerOperand(&instruction));
  if (!place || place->getNumIndices() != 1 || !is_known_before(place->getPointerOperand())) return {};
  const llvm::Value* index = *place->idx_begin();
  const bool extends = llvm::isa<llvm::SExtInst>(index) ? loop.is_signed : llvm::isa<llvm::ZExtInst>(index);
  if (extends) index = llvm::cast<llvm::Instruction>(index)->getOperand(0);
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  const std::uint64_t bytes = layout.getTypeAllocSize(place->getSourceElementType()).getFixedValue();
  if (index != loop.index || layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue() > bytes)
    return {};
  return linear_access{place->getPointerOperand(), bytes, llvm::isa<llvm::StoreInst>(instruction)};
}

/// Whether the loop contains all accesses to memory that other work-items see, and an iteration depends only on its
/// number.
bool is_alone_with_its_number(const llvm::Loop& in, grid_loop& loop) {
  for (llvm::Instruction& each : llvm::instructions(*loop.header->getParent())) {
    if (llvm::isa<llvm::AllocaInst>(each)) return false;
    if (in.contains(&each)) {
      for (const llvm::Value* operand : each.operand_values()) {
        const auto* inner = llvm::dyn_cast<llvm::Instruction>(operand);
        if ((inner && in.contains(inner)) || llvm::isa<llvm::BasicBlock>(operand) || &each == loop.index) continue;
        if (!llvm::isa<llvm::Function>(operand) && !is_known_before(operand)) return false;
      }
    }
    if (!each.mayReadOrWriteMemory() || each.hasMetadata(llvm::LLVMContext::MD_invariant_load)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&each);
      if (call && (call->isConvergent() || !call->willReturn())) return false;
      continue;
    }
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
        intrinsic && intrinsic->isAssumeLikeIntrinsic())
      continue;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
    if (!in.contains(&each) || !(load ? load->isSimple() : store && store->isSimple())) return false;
    const std::optional<linear_access> access = understand_access(each, loop);
    if (!access) return false;
    loop.accesses.push_back(*access);
  }
  return llvm::any_of(loop.accesses, [](const linear_access& each) { return each.writes; });
}

/// Whether the sum does not wrap, as a signed or an unsigned number.
bool wraps_not(const llvm::BinaryOperator& sum, bool is_signed) {
  if (sum.getOpcode() == llvm::Instruction::Or) return true;  // such an "or" is a sum of numbers without common bits
  return is_signed ? sum.hasNoSignedWrap() : sum.hasNoUnsignedWrap();
}

/// Returns the id at which the counter of a loop begins. A cast may change the id if its result has fewer bits than the
/// counter, so such casts are not accepted.
std::optional<grid_start> understand_start(llvm::Value* value, bool is_long, bool is_signed, std::uint64_t group_size) {
  llvm::Type* type = value->getType();
  const auto number = [&](llvm::Value* of) {
    if (is_long) return of;
    while (auto* cast = llvm::dyn_cast<llvm::CastInst>(of)) {
      if (!cast->getType()->isIntegerTy() || cast->getType()->getIntegerBitWidth() < 32) break;
      of = cast->getOperand(0);
    }
    return of;
  };
  value = number(value);
  if (is_parameter(value, parameter_global_id + 2)) return grid_start{};
  if (const auto* linear = llvm::dyn_cast<llvm::Instruction>(value);
      linear && linear->getOpcode() == llvm::Instruction::Sub &&
      is_parameter(number(linear->getOperand(0)), parameter_global_id + 2) &&
      is_parameter(number(linear->getOperand(1)), parameter_global_offset + 2))
    return grid_start{.has_offset = false};
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  const auto* disjoint = sum ? llvm::dyn_cast<llvm::PossiblyDisjointInst>(sum) : nullptr;
  if (!sum || (sum->getOpcode() != llvm::Instruction::Add && !(disjoint && disjoint->isDisjoint()))) return {};
  for (unsigned i : {0u, 1u}) {
    if (!is_parameter(number(sum->getOperand(i)), parameter_local_id + 2)) continue;
    auto* product = llvm::dyn_cast<llvm::BinaryOperator>(number(sum->getOperand(1 - i)));
    if (!product) return {};
    llvm::Value *left = product->getOperand(0), *right = product->getOperand(1);
    if (is_parameter(number(right), parameter_group_id + 2)) std::swap(left, right);
    if (!is_parameter(number(left), parameter_group_id + 2) || !is_known_before(right)) return {};
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(right);
    if (product->getOpcode() == llvm::Instruction::Shl) {
      if (!known || known->getValue().uge(31)) return {};
      known = llvm::ConstantInt::get(right->getContext(), llvm::APInt(64, std::uint64_t{1} << known->getZExtValue()));
    } else if (product->getOpcode() != llvm::Instruction::Mul) {
      return {};
    }
    if (known ? known->getValue() == group_size : is_parameter(number(right), parameter_local_range + 2))
      return grid_start{.has_offset = false};
    // The factor may differ from the group's size. In this case, only the sum's flags say that the sum does not wrap.
    if (sum->getType() != type || !wraps_not(*sum, is_signed)) return {};
    if (known) right = llvm::ConstantInt::get(right->getContext(), known->getValue().zextOrTrunc(64));
    return grid_start{false, right};
  }
  return {};
}

/// Whether every group runs the loop. If a group skipped the loop, the elements of this group would have to stay
/// unchanged. After the change of the loop, however, other groups would process some of these elements.
bool all_groups_come_to(llvm::BasicBlock* place) {
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> seen{place};
  llvm::SmallVector<llvm::BasicBlock*, 8> in_front{place};
  for (std::size_t i = 0; i < in_front.size(); ++i) {
    for (llvm::BasicBlock* each : llvm::predecessors(in_front[i])) {
      if (!seen.insert(each).second) continue;
      const llvm::Instruction* end = each->getTerminator();
      if (end->getNumSuccessors() > 1 && !is_known_before(end->getOperand(0)))
        return false;
      in_front.push_back(each);
    }
  }
  return true;
}

std::optional<grid_loop> understand_grid_loop(llvm::Loop& in, const lane_shapes& all, const grid_facts& facts) {
  llvm::BasicBlock *header = in.getHeader(), *latch = in.getLoopLatch(), *before = in.getLoopPreheader();
  if (!in.isInnermost() || in.getParentLoop() || !latch || latch == header || !before ||
      in.getExitingBlock() != header || all.mask(before) == lane_mask::partial)
    return {};
  const llvm::BasicBlock* exit = in.getExitBlock();
  auto* index = llvm::dyn_cast<llvm::PHINode>(&header->front());
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  auto* compare = branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!exit || !exit->phis().empty() || !index || !llvm::hasSingleElement(header->phis()) || !compare ||
      !compare->hasOneUse())
    return {};
  llvm::CmpInst::Predicate predicate = compare->getPredicate();
  llvm::Value *counter = compare->getOperand(0), *bound = compare->getOperand(1);
  if (bound == index) {
    std::swap(counter, bound);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  llvm::BasicBlock* inside = branch->getSuccessor(0);
  if (!in.contains(inside)) {
    inside = branch->getSuccessor(1);
    predicate = llvm::CmpInst::getInversePredicate(predicate);
  }
  if (counter != index || !llvm::ICmpInst::isLT(predicate)) return {};
  auto* next = llvm::dyn_cast<llvm::BinaryOperator>(index->getIncomingValueForBlock(latch));
  if (!next || next->getOpcode() != llvm::Instruction::Add || next->getOperand(0) != index ||
      !may_be_grid_step(next->getOperand(1)))
    return {};
  // If the counter stays positive without wrapping, its bound is positive, too.
  const bool is_positive = llvm::computeKnownBits(index, header->getModule()->getDataLayout()).isNonNegative();
  const bool is_signed = is_positive || llvm::CmpInst::isSigned(predicate);
  grid_loop found{before, header, inside, index, compare, next, bound, is_signed, is_positive};
  const bool is_long = index->getType()->isIntegerTy(64);
  if (!is_long && !(facts.narrow_ids && index->getType()->isIntegerTy(32))) return {};
  const auto start = understand_start(index->getIncomingValueForBlock(before), is_long, is_signed, facts.row);
  if (!start || !is_known_before(found.bound)) return {};
  found.start = *start;
  if (!all_groups_come_to(before)) return {};
  // A header runs once more than the rest of its loop, and in this last run the counter will have another value than in
  // the program's loop.
  if (has_effects(*header)) return {};
  if (!is_alone_with_its_number(in, found)) return {};
  return found;
}

/// Copies the computation of a value to `place` in front of the loop. The value is known before the launch.
llvm::Value* copy_before_loop(llvm::Value* value, llvm::Instruction* place, llvm::ValueToValueMapTy& copies) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return value;
  if (llvm::Value* done = copies.lookup(value)) return done;
  llvm::Instruction* copy = instruction->clone();
  for (llvm::Use& operand : copy->operands()) operand.set(copy_before_loop(operand.get(), place, copies));
  copy->dropPoisonGeneratingFlags();
  copy->insertBefore(place->getIterator());
  copies[value] = copy;
  return copy;
}

/// Emits a test. The test is true if no write touches memory that another iteration accesses.
llvm::Value* lie_apart(llvm::IRBuilder<>& builder, const grid_loop& loop, llvm::Value* last,
                       llvm::ValueToValueMapTy& copies) {
  llvm::Value* apart = builder.getTrue();
  struct extent {
    llvm::Value *from, *to;
  };
  const auto extent_of = [&](const linear_access& access) {
    llvm::Value* base = copy_before_loop(access.base, &*builder.GetInsertPoint(), copies);
    llvm::Value* from = builder.CreatePtrToInt(base, builder.getInt64Ty());
    return extent{from, builder.CreateAdd(from, builder.CreateMul(last, builder.getInt64(access.bytes)))};
  };
  for (const linear_access& write : loop.accesses) {
    if (!write.writes) continue;
    const extent own = extent_of(write);
    for (const linear_access& other : loop.accesses) {
      if (&other == &write || (other.base == write.base && other.bytes == write.bytes)) continue;
      const extent its = extent_of(other);
      llvm::Value* fits = builder.CreateOr(builder.CreateICmpULE(own.to, its.from),
                                           builder.CreateICmpULE(its.to, own.from));
      if (other.bytes == write.bytes) fits = builder.CreateOr(fits, builder.CreateICmpEQ(own.from, its.from));
      apart = builder.CreateAnd(apart, fits);
    }
  }
  return apart;
}

void take_pieces(const grid_loop& loop) {
  llvm::Function& function = *loop.header->getParent();
  llvm::Type* type = loop.index->getType();
  llvm::IRBuilder<> builder(loop.before->getTerminator());
  llvm::ValueToValueMapTy copies;
  llvm::Value* bound = copy_before_loop(loop.bound, loop.before->getTerminator(), copies);
  const auto number = [&](unsigned parameter) { return function.getArg(parameter + 2); };
  llvm::Value* offset = builder.getInt64(0);
  if (loop.start.has_offset) offset = number(parameter_global_offset);
  llvm::Value* end = loop.is_signed ? builder.CreateSExt(bound, builder.getInt64Ty())
                                    : builder.CreateZExt(bound, builder.getInt64Ty());
  llvm::Value* apart = lie_apart(builder, loop, end, copies);
  llvm::Value* grid = number(parameter_global_range);
  llvm::Value* by = copy_before_loop(loop.next->getOperand(1), loop.before->getTerminator(), copies);
  llvm::Value* by_grid = builder.CreateICmpEQ(builder.CreateZExt(by, builder.getInt64Ty()), grid);
  apart = builder.CreateAnd(apart, by_grid);
  if (type->isIntegerTy(32)) {
    // The counter must end before it wraps around.
    const std::uint64_t most = llvm::maxUIntN(loop.is_signed ? 31 : 32);
    apart = builder.CreateAnd(apart, builder.CreateICmpSLE(builder.CreateAdd(end, grid), builder.getInt64(most)));
  }
  // Ids and sizes have at most 63 bits, so a signed comparison is enough.
  llvm::Value* some = builder.CreateICmpSGT(end, offset);
  llvm::Value* count = builder.CreateSelect(some, builder.CreateSub(end, offset), builder.getInt64(0));
  llvm::Value *row = number(parameter_local_range), *row_of_start = row;
  if (loop.start.row) {
    row_of_start = builder.CreateZExt(copy_before_loop(loop.start.row, loop.before->getTerminator(), copies),
                                      builder.getInt64Ty());
    apart = builder.CreateAnd(apart, builder.CreateICmpEQ(row_of_start, row));
  }
  llvm::Value* rows = builder.CreateUDiv(builder.CreateAdd(count, builder.CreateSub(row, builder.getInt64(1))), row);
  llvm::Value* groups = number(parameter_group_range);
  llvm::Value* rows_of_group =
      builder.CreateUDiv(builder.CreateAdd(rows, builder.CreateSub(groups, builder.getInt64(1))), groups);
  llvm::Value* piece = builder.CreateMul(rows_of_group, row);
  llvm::Value* group = number(parameter_group_id);
  const auto within = [&](llvm::Value* place) {
    return builder.CreateAdd(offset, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, place, count));
  };
  llvm::Value* from = within(builder.CreateMul(group, piece));
  llvm::Value* to = within(builder.CreateMul(builder.CreateAdd(group, builder.getInt64(1)), piece));
  llvm::Value* own = builder.CreateAdd(builder.CreateMul(group, row_of_start), offset);
  const auto choose = [&](llvm::Value* yes, llvm::Value* no) {
    return builder.CreateTrunc(builder.CreateSelect(apart, yes, no), type);
  };
  llvm::Value* first = choose(from, own);
  // Keeps two facts that LLVM knew from the old loop: the counter does not start below zero, and if the counter must
  // not wrap, the step is not negative.
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  if (loop.is_positive) first = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, zero);
  if (loop.is_signed && loop.next->hasNoSignedWrap())
    by = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, by, zero);
  llvm::Value* position = builder.CreateTrunc(number(parameter_local_id), type);
  llvm::Value* start = builder.CreateAdd(first, position, "", !loop.is_signed, loop.is_signed);
  llvm::Value* step = builder.CreateSelect(apart, builder.CreateTrunc(row, type), by);
  llvm::Value* last = builder.CreateSelect(apart, builder.CreateTrunc(to, type), bound);
  loop.index->setIncomingValueForBlock(loop.before, start);
  loop.next->setOperand(1, step);
  // The old comparison may have the flag `samesign` (both numbers have the same sign), so a new comparison replaces it.
  builder.SetInsertPoint(loop.compare);
  llvm::Value* goes_on =
      builder.CreateICmp(loop.is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT, loop.index, last);
  const auto* branch = llvm::cast<llvm::BranchInst>(loop.header->getTerminator());
  if (branch->getSuccessor(1) == loop.inside) goes_on = builder.CreateNot(goes_on);
  loop.compare->replaceAllUsesWith(goes_on);
  loop.compare->eraseFromParent();
}

}  // namespace

bool take_grid_in_pieces(llvm::Function& work_item, const lane_analyses& all, const grid_facts& facts) {
  if (all.loops.empty() || all.shapes.failure()) return false;
  for (llvm::Loop* loop : all.loops) {
    const std::optional<grid_loop> found = understand_grid_loop(*loop, all.shapes, facts);
    if (!found || found->accesses.size() > most_pairs) continue;
    take_pieces(*found);
    return true;
  }
  return false;
}

}  // namespace sinter::passes
