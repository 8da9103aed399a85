#include "guarded_ids.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "passes/called_names.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned most_steps = 16;

bool has_effect(const llvm::Instruction& instruction) {
  if (!instruction.mayHaveSideEffects() || called_name(instruction).starts_with("__sinter_global_")) return false;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return !intrinsic->isAssumeLikeIntrinsic();
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return !store || !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand(), 0));
}

/// The ids of a box of work-items, as numbers of 64 bits.
class guarded_box {
public:
  explicit guarded_box(const fusion_range& range) : m_spans{span(range, 0), span(range, 1), span(range, 2)} {}

  const llvm::ConstantRange& operator[](unsigned d) const { return m_spans[d]; }
  bool is_empty() const {
    return std::any_of(m_spans.begin(), m_spans.end(), [](const auto& each) { return each.isEmptySet(); });
  }

  /// Leaves out ids for which the condition does not have this value. Some of these ids may nevertheless be kept,
  /// because the box is only an upper bound.
  void apply(const llvm::Value* condition, bool truth, unsigned depth = 0) {
    using namespace llvm::PatternMatch;
    if (depth > most_steps) return;
    const llvm::Value *a = nullptr, *b = nullptr;
    const llvm::APInt* number = nullptr;
    if (match(condition, m_Not(m_Value(a)))) return apply(a, !truth, depth + 1);
    if (const auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(condition))
      return apply(freeze->getOperand(0), truth, depth + 1);
    if (truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
              : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
      apply(a, truth, depth + 1);
      apply(b, truth, depth + 1);
      return;
    }
    const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (!comparison) return;
    llvm::CmpInst::Predicate predicate = comparison->getPredicate();
    const llvm::Value* left = comparison->getOperand(0);
    if (match(left, m_APInt(number))) {
      left = comparison->getOperand(1);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    } else if (!match(comparison->getOperand(1), m_APInt(number))) {
      return;
    }
    if (!truth) predicate = llvm::CmpInst::getInversePredicate(predicate);
    limit(left, llvm::ConstantRange::makeExactICmpRegion(predicate, *number));
  }

private:
  static llvm::ConstantRange span(const fusion_range& range, unsigned d) {
    return {llvm::APInt(64, range.offset[d]), llvm::APInt(64, range.offset[d] + range.global[d])};
  }

  static std::optional<unsigned> dimension_of(const llvm::Value* value) {
    if (called_name(*value) != "__sinter_global_id" || !value->getType()->isIntegerTy(64)) return std::nullopt;
    const auto* d = llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallBase>(value)->getArgOperand(0));
    return d ? std::optional(static_cast<unsigned>(d->getZExtValue() % 3)) : std::nullopt;
  }

  /// Leaves out ids for which the value is not in the region. The value has to be an id plus constants, in any width.
  void limit(const llvm::Value* value, llvm::ConstantRange region) {
    using namespace llvm::PatternMatch;
    for (unsigned step = 0; step < most_steps; ++step) {
      if (const auto d = dimension_of(value)) {
        m_spans[*d] = m_spans[*d].intersectWith(region, llvm::ConstantRange::Unsigned);
        return;
      }
      const llvm::Value* inner = nullptr;
      const llvm::APInt* number = nullptr;
      if (match(value, m_Add(m_Value(inner), m_APInt(number)))) {
        region = region.subtract(*number);
      } else if (match(value, m_ZExt(m_Value(inner))) || match(value, m_SExt(m_Value(inner)))) {
        const unsigned bits = inner->getType()->getScalarSizeInBits(), wide = region.getBitWidth();
        const llvm::ConstantRange all(bits, true);
        const bool is_signed = llvm::isa<llvm::SExtInst>(value);
        region = region.intersectWith(is_signed ? all.signExtend(wide) : all.zeroExtend(wide));
        if (region.isEmptySet()) region = llvm::ConstantRange::getEmpty(bits);
        else region = region.truncate(bits);
      } else if (match(value, m_Trunc(m_Value(inner)))) {
        // The truncated number equals the id if all ids fit into its bits.
        const auto d = dimension_of(inner);
        const unsigned bits = region.getBitWidth();
        if (!d || m_spans[*d].isEmptySet() || m_spans[*d].getUnsignedMax().getActiveBits() >= bits) return;
        const llvm::APInt end = m_spans[*d].getUnsignedMax().trunc(bits) + 1;
        region = region.intersectWith(llvm::ConstantRange(llvm::APInt(bits, 0), end), llvm::ConstantRange::Unsigned);
        region = region.zeroExtend(inner->getType()->getScalarSizeInBits());
      } else if (const auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(value)) {
        inner = freeze->getOperand(0);
      } else {
        return;
      }
      value = inner;
    }
  }

  std::array<llvm::ConstantRange, 3> m_spans;
};

/// The ids of work-items that may reach the block.
guarded_box ids_that_reach(const llvm::BasicBlock& block, const llvm::DominatorTree& tree, const fusion_range& range) {
  guarded_box box(range);
  for (const auto* node = tree.getNode(&block); node; node = node->getIDom()) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    for (unsigned side = 0; side < 2; ++side) {
      const llvm::BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(side));
      if (tree.dominates(edge, &block)) box.apply(branch->getCondition(), side == 0);
    }
  }
  return box;
}

}  // namespace

fusion_range ids_with_effects(const llvm::Function& kernel, const fusion_range& range) {
  const llvm::DominatorTree tree(const_cast<llvm::Function&>(kernel));
  std::array<std::uint64_t, 3> first{}, end{};
  bool found = false;
  for (const llvm::BasicBlock& block : kernel) {
    if (!tree.isReachableFromEntry(&block) || std::none_of(block.begin(), block.end(), has_effect)) continue;
    const guarded_box box = ids_that_reach(block, tree, range);
    if (box.is_empty()) continue;
    for (unsigned d = 0; d < 3; ++d) {
      const std::uint64_t low = box[d].getUnsignedMin().getZExtValue(), high = box[d].getUnsignedMax().getZExtValue();
      first[d] = found ? std::min(first[d], low) : low;
      end[d] = found ? std::max(end[d], high + 1) : high + 1;
    }
    found = true;
  }
  if (!found) return range;
  fusion_range result = range;
  for (unsigned d = 0; d < 3; ++d) {
    result.offset[d] = first[d];
    result.global[d] = end[d] - first[d];
  }
  return result;
}

void forget_ranges_of_ids(llvm::Function& kernel) {
  for (llvm::CallInst* call : calls_of(kernel, "__sinter_global_id")) call->removeRetAttr(llvm::Attribute::Range);
}

}  // namespace sinter::passes
