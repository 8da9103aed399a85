#include "unwrapped_sums.hpp"

#include <utility>

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned most_address_steps = 4;

/// Whether a number becomes a part of an address, perhaps through some arithmetic.
bool is_address_part(const llvm::Value& value, unsigned depth = most_address_steps) {
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::GetElementPtrInst>(user)) return true;
    return depth != 0 && user->getType()->isIntegerTy(64) && llvm::isa<llvm::BinaryOperator>(user) &&
           is_address_part(*user, depth - 1);
  });
}

/// An index: the low half of a number, extended to 64 bits.
struct index_of {
  llvm::Value* number = nullptr;  ///< has 32 or 64 bits; null if the instruction is no index
  bool positive = false;          ///< whether the low half is zero-extended; else sign-extended
  std::uint64_t shift = 0;        ///< number of bits by which the index is shifted left
  std::int64_t more = 0;          ///< a constant that is added to a 64-bit number before its low half is taken
};

/// Recognises extensions, and the masks and shifts by which LLVM replaces a truncation and an extension.
index_of match_index(llvm::Instruction& instruction) {
  using namespace llvm::PatternMatch;
  if (!instruction.getType()->isIntegerTy(64)) return {};
  llvm::Value* number = nullptr;
  std::uint64_t back = 0;
  if (match(&instruction, m_ZExtOrSExt(m_Value(number))) && number->getType()->isIntegerTy(32))
    return {number, llvm::isa<llvm::ZExtInst>(instruction)};
  if (match(&instruction, m_And(m_Value(number), m_SpecificInt(0xffffffffU)))) return {number, true};
  const auto high_half = m_Shl(m_Value(number), m_SpecificInt(32));
  const llvm::APInt* added = nullptr;
  if (match(&instruction, m_Shr(m_CombineOr(high_half, m_Add(high_half, m_APInt(added))), m_ConstantInt(back))) &&
      back > 0 && back <= 32 && (!added || added->countr_zero() >= 32)) {
    const std::int64_t more = added ? added->ashr(32).getSExtValue() : 0;
    return {number, instruction.getOpcode() == llvm::Instruction::LShr, 32 - back, more};
  }
  return {};
}

bool wraps_not(const llvm::Instruction& sum) {
  if (const auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(&sum)) return narrowed->hasNoSignedWrap();
  return sum.hasNoSignedWrap();
}

/// Whether the instruction may be a sum, so that its operands are examined, too. The operands of remainders, masks and
/// similar operations are not examined: in hashes, for example, sums do wrap.
bool is_sum(const llvm::Instruction& instruction) {
  const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  return (either && either->isDisjoint()) || llvm::isa<llvm::OverflowingBinaryOperator, llvm::PHINode, llvm::SelectInst,
                                                       llvm::MinMaxIntrinsic, llvm::CastInst>(instruction);
}

/// Finds the sums that indices consist of.
class sums_of_indices {
public:
  void add(llvm::Value* value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !instruction->getType()->isIntegerTy() || !is_sum(*instruction) || !m_all.insert(instruction))
      return;
    for (llvm::Value* operand : instruction->operand_values()) add(operand);
  }

  llvm::ArrayRef<llvm::Instruction*> all() const { return m_all.getArrayRef(); }

private:
  llvm::SmallSetVector<llvm::Instruction*, 32> m_all;
};

/// Whether the value differs between neighbouring work-items. If the value does not differ, a wrap does little harm.
bool varies(const llvm::Value& value, const bounds_finder& bounds, llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  if (bounds.is_given(&value)) return true;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    const unsigned parameter = argument->getArgNo();
    return parameter == parameter_global_id + 2 || parameter == parameter_local_id + 2 || parameter == parameter_item;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || !seen.insert(instruction).second || instruction->mayReadFromMemory()) return false;
  return llvm::any_of(instruction->operand_values(),
                      [&](const llvm::Value* operand) { return varies(*operand, bounds, seen); });
}

bool varies(const llvm::Value& value, const bounds_finder& bounds) {
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  return varies(value, bounds, seen);
}

/// Whether the instruction may wrap, as far as its flags tell.
bool may_wrap(const llvm::Instruction& each) {
  if (const auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(&each)) {
    return each.getType()->isIntegerTy(32) && !wraps_not(each) && !llvm::isa<llvm::Argument>(narrowed->getOperand(0));
  }
  return each.getType()->isIntegerTy(32) && llvm::isa<llvm::OverflowingBinaryOperator>(each) && !wraps_not(each);
}

bool is_false(const llvm::Value* condition) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition);
  return known && known->isZero();
}

class unwrapper {
public:
  unwrapper(llvm::Function& work_item, bounds_finder& bounds, llvm::ArrayRef<llvm::BasicBlock*> within)
      : m_bounds(bounds), m_builder(bounds.builder()), m_conditions(m_builder) {
    for (llvm::BasicBlock& block : work_item) {
      if (within.empty() || llvm::is_contained(within, &block)) m_blocks.insert(&block);
    }
  }

  unwrapped_sums run() {
    for (llvm::BasicBlock* block : m_blocks) {
      for (llvm::Instruction& instruction : *block) take(instruction);
    }
    if (m_indices.empty()) return {};
    for (llvm::Instruction* sum : m_sums.all()) mark(*sum);
    for (const auto& [instruction, index] : m_indices) write(*instruction, index);
    // A dead instruction may be the operand of another dead instruction.
    llvm::SmallVector<llvm::WeakTrackingVH, 16> dead;
    for (const auto& each : m_indices) dead.emplace_back(each.first);
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
    const bool signs = llvm::any_of(m_indices, [](const auto& each) { return each.second.positive; });
    m_conditions.require(m_bounds.holds());
    return {m_conditions.all(), signs};
  }

private:
  void take(llvm::Instruction& instruction) {
    const index_of index = match_index(instruction);
    if (!index.number || !is_address_part(instruction) || !varies(*index.number, m_bounds)) return;
    sums_of_indices sums;
    sums.add(index.number);
    const bool wide = index.number->getType()->isIntegerTy(64);
    // Skips indices that contain no sum. Such indices are ids, which are known to fit 32 bits.
    if ((sums.all().empty() && index.more == 0 && !m_bounds.is_given(index.number)) ||
        (!wide && !index.positive && llvm::none_of(sums.all(), [](const auto* each) { return may_wrap(*each); })))
      return;
    const auto found = m_bounds.at(index.number, instruction.getParent());
    if (!found) return;
    const auto added = [&](llvm::Value* number) {
      if (index.more == 0) return number;
      return m_builder.CreateAdd(number, m_builder.getInt64(static_cast<std::uint64_t>(index.more)));
    };
    const number_bounds all{added(found->low), added(found->high)};
    llvm::Value* right = m_bounds.fits(all);
    if (index.positive) right = m_builder.CreateAnd(right, m_builder.CreateICmpSGE(all.low, m_builder.getInt64(0)));
    if (!require(right)) return;
    for (llvm::Instruction* each : sums.all()) m_sums.add(each);
    m_indices.emplace_back(&instruction, index);
  }

  void mark(llvm::Instruction& sum) {
    // Code outside of these blocks may also use the sum, and the sum may wrap there.
    if (!m_blocks.contains(sum.getParent()) || !may_wrap(sum)) return;
    const auto found = llvm::isa<llvm::TruncInst>(sum) ? m_bounds.at(sum.getOperand(0), sum.getParent())
                                                       : m_bounds.unwrapped(sum, sum.getParent());
    if (!found || !require(m_bounds.fits(*found))) return;
    if (auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(&sum)) {
      narrowed->setHasNoSignedWrap(true);
    } else {
      sum.setHasNoSignedWrap(true);
    }
  }

  void write(llvm::Instruction& instruction, const index_of& index) {
    llvm::IRBuilder<> builder(&instruction);
    llvm::Value* number = builder.CreateSExt(index.number, instruction.getType());
    if (index.more != 0) number = builder.CreateAdd(number, builder.getInt64(static_cast<std::uint64_t>(index.more)));
    if (index.shift != 0) number = builder.CreateShl(number, index.shift);
    instruction.replaceAllUsesWith(number);
  }

  /// Adds `condition` to the condition under which no index wraps. Returns false if `condition` never holds.
  bool require(llvm::Value* condition) {
    if (is_false(condition)) return false;
    m_conditions.require(condition);
    return true;
  }

  llvm::SmallSetVector<llvm::BasicBlock*, 16> m_blocks;
  bounds_finder& m_bounds;
  llvm::IRBuilder<>& m_builder;
  early_conditions m_conditions;
  sums_of_indices m_sums;
  llvm::SmallVector<std::pair<llvm::Instruction*, index_of>, 16> m_indices;
};

}  // namespace

unwrapped_sums unwrap_sums(llvm::Function& work_item, bounds_finder& bounds,
                           llvm::ArrayRef<llvm::BasicBlock*> within) {
  return unwrapper(work_item, bounds, within).run();
}

}  // namespace sinter::passes
