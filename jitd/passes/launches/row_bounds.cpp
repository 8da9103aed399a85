#include "row_bounds.hpp"

#include <optional>
#include <utility>

#include "passes/lanes/early_values.hpp"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

// Limits for the search for guards. The limits are low, because guards are short.
constexpr unsigned most_blocks = 8, deepest_guard = 8;

constexpr unsigned bound_parameters[] = {
    parameter_block,
    parameter_global_id,
    parameter_global_id + 1,
    parameter_global_range,
    parameter_global_range + 1,
    parameter_global_range + 2,
    parameter_global_offset,
    parameter_global_offset + 1,
    parameter_global_offset + 2,
};

/// Whether a work-item that enters the block has no visible effect from there to its end.
bool ends(const llvm::BasicBlock* block) {
  for (unsigned i = 0; block && i < most_blocks; ++i, block = block->getSingleSuccessor()) {
    if (llvm::any_of(*block, is_noticed)) return false;
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) return true;
  }
  return false;
}

/// One condition of the guard. It is evaluated for a whole row before the row runs.
struct row_question {
  llvm::Value* condition;
  bool truth;                      ///< the value that the condition must have
  llvm::Value* base = nullptr;     ///< the id minus this number is compared; null if the id itself is compared
  /// The other operand of the comparison. Null if the condition has the same value for the whole row.
  llvm::Value* other = nullptr;
  llvm::CmpInst::Predicate is{};
};

class guard_reader {
public:
  guard_reader(llvm::Function& work_item, bool narrow_ids, bool in_flat_range)
      : m_function(work_item), m_narrow_ids(narrow_ids), m_in_flat_range(in_flat_range) {
    const llvm::BasicBlock* block = &work_item.getEntryBlock();
    for (unsigned i = 0; block && i < most_blocks; ++i) block = read(*block);
  }

  llvm::ArrayRef<row_question> all() const { return m_questions; }

private:
  /// Returns the next block of the guard, or null if the guard ends in this block.
  const llvm::BasicBlock* read(const llvm::BasicBlock& block) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || llvm::any_of(block, is_noticed)) return nullptr;
    const llvm::BasicBlock* next = branch->getSuccessor(0);
    if (branch->isConditional()) {
      const bool goes_on = !ends(next);
      if (!goes_on) next = branch->getSuccessor(1);
      if (goes_on && !ends(branch->getSuccessor(1))) return nullptr;
      split(branch->getCondition(), goes_on, deepest_guard);
    }
    return next->getSinglePredecessor() == &block ? next : nullptr;
  }

  void split(llvm::Value* condition, bool truth, unsigned depth) {
    using namespace llvm::PatternMatch;
    llvm::Value *left = nullptr, *right = nullptr;
    if (depth != 0 && match(condition, m_Not(m_Value(left)))) return split(left, !truth, depth - 1);
    const bool both = truth ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                            : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
    if (depth != 0 && both) {
      split(left, truth, depth - 1);
      return split(right, truth, depth - 1);
    }
    if (llvm::isa<llvm::Constant>(condition)) return;
    if (is_known_early(condition, bound_parameters)) return m_questions.push_back({condition, truth});
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (!compare || !compare->getOperand(0)->getType()->isIntegerTy()) return;
    if (compare->getOperand(0)->getType()->getIntegerBitWidth() > 64) return;
    if (!take(*compare, truth, false)) take(*compare, truth, true);
  }

  bool take(llvm::ICmpInst& compare, bool truth, bool swapped) {
    llvm::Value* other = compare.getOperand(swapped ? 0 : 1);
    row_question found{&compare, truth, nullptr, other,
                       swapped ? compare.getSwappedPredicate() : compare.getPredicate()};
    if (!truth) found.is = llvm::CmpInst::getInversePredicate(found.is);
    const std::optional<llvm::Value*> base = base_of(compare.getOperand(swapped ? 1 : 0));
    if (!base || !is_known_early(other, bound_parameters)) return false;
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(other);
    if (found.is == llvm::CmpInst::ICMP_EQ || (found.is == llvm::CmpInst::ICMP_NE && !(number && number->isZero())))
      return false;
    found.base = *base;
    m_questions.push_back(found);
    return true;
  }

  /// If `value` is the id along the row minus a number, returns this number. If `value` is the id itself, returns a
  /// null pointer. Otherwise returns an empty optional.
  std::optional<llvm::Value*> base_of(llvm::Value* value) const {
    value = without_narrowing(value);
    llvm::Value* id = m_function.getArg(parameter_global_id + 2);
    if (value == id) return nullptr;
    auto* place = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!place || place->getOpcode() != llvm::Instruction::Sub || without_narrowing(place->getOperand(0)) != id)
      return std::nullopt;
    llvm::Value* base = without_narrowing(place->getOperand(1));
    const unsigned known = m_in_flat_range ? parameter_global_range : parameter_global_offset + 2;
    if (base != m_function.getArg(known)) return std::nullopt;
    return base;
  }

  llvm::Value* without_narrowing(llvm::Value* value) const {
    while (auto* cast = llvm::dyn_cast<llvm::Instruction>(value)) {
      if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(cast)) break;
      const unsigned bits =
          std::min(cast->getType()->getIntegerBitWidth(), cast->getOperand(0)->getType()->getIntegerBitWidth());
      if (bits < (m_narrow_ids ? 32 : 64)) break;
      value = cast->getOperand(0);
    }
    return value;
  }

  llvm::Function& m_function;
  bool m_narrow_ids, m_in_flat_range;
  llvm::SmallVector<row_question, 8> m_questions;
};

/// Builds the function that returns the range of a row's work-items that pass the guard. The built function may compare
/// ids as unsigned numbers, because ids are below 2^63.
class bounds_builder {
public:
  explicit bounds_builder(llvm::Function& work_item)
      : m_function(work_item, bound_parameters,
                   llvm::StructType::get(llvm::Type::getInt64Ty(work_item.getContext()),
                                         llvm::Type::getInt64Ty(work_item.getContext())),
                   work_item.getName() + ".row_bounds"),
        m_builder(m_function.builder()) {}

  void ask(const row_question& question) {
    if (!question.other) {
      llvm::Value* holds = m_function.value_of(question.condition);
      if (!question.truth) holds = m_builder.CreateNot(holds);
      return m_same.require(holds);
    }
    using predicate = llvm::CmpInst;
    llvm::Value* number = m_function.value_of(question.other);
    llvm::Type* int64 = m_builder.getInt64Ty();
    const bool is_signed = predicate::isSigned(question.is);
    number = is_signed ? m_builder.CreateSExt(number, int64) : m_builder.CreateZExt(number, int64);
    const bool one_more = question.is == predicate::ICMP_SLE || question.is == predicate::ICMP_ULE ||
                          question.is == predicate::ICMP_SGT || question.is == predicate::ICMP_UGT ||
                          question.is == predicate::ICMP_NE;
    if (one_more)
      number = choose(is_signed ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat, number, m_builder.getInt64(1));
    if (is_signed) number = choose(llvm::Intrinsic::smax, number, m_builder.getInt64(0));
    if (question.base)
      number = choose(llvm::Intrinsic::uadd_sat, number, m_function.value_of(question.base));
    if (question.is == predicate::ICMP_NE || llvm::ICmpInst::isGT(question.is) || llvm::ICmpInst::isGE(question.is)) {
      m_first = m_first ? choose(llvm::Intrinsic::umax, m_first, number) : number;
    } else {
      m_end = m_end ? choose(llvm::Intrinsic::umin, m_end, number) : number;
    }
  }

  llvm::Function* finish() {
    llvm::Value *none = m_builder.getInt64(0), *all = m_builder.getInt64(~std::uint64_t{0});
    llvm::Value* end = m_end ? m_end : all;
    if (!m_same.empty()) end = m_builder.CreateSelect(m_same.all(), end, none);
    llvm::Value* result = llvm::PoisonValue::get(llvm::StructType::get(none->getType(), none->getType()));
    result = m_builder.CreateInsertValue(result, m_first ? m_first : none, 0);
    return m_function.finish(m_builder.CreateInsertValue(result, end, 1));
  }

private:
  llvm::Value* choose(llvm::Intrinsic::ID which, llvm::Value* a, llvm::Value* b) {
    return m_builder.CreateBinaryIntrinsic(which, a, b);
  }

  early_function m_function;
  llvm::IRBuilder<>& m_builder;
  early_conditions m_same{m_builder};  ///< conditions that have the same value for a whole row
  llvm::Value *m_first = nullptr, *m_end = nullptr;
};

}  // namespace

llvm::ArrayRef<unsigned> row_bound_parameters() { return bound_parameters; }

llvm::Function* cut_rows(llvm::Function& work_item, bool narrow_ids, bool in_flat_range) {
  const guard_reader guard(work_item, narrow_ids, in_flat_range);
  if (guard.all().empty()) return nullptr;
  bounds_builder bounds(work_item);
  for (const row_question& each : guard.all()) bounds.ask(each);
  for (const row_question& each : guard.all()) {
    each.condition->replaceAllUsesWith(llvm::ConstantInt::getBool(work_item.getContext(), each.truth));
  }
  for (llvm::BasicBlock& block : work_item) {
    llvm::SimplifyInstructionsInBlock(&block);
    llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
  }
  llvm::removeUnreachableBlocks(work_item);
  return bounds.finish();
}

}  // namespace sinter::passes
