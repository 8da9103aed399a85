#include "lane_shapes.hpp"

#include "lane_promises.hpp"
#include "side_by_side_arrays.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"
#include "passes/device/work_item_function.hpp"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

// Addresses at this distance in bytes are in one set of the first-level cache, and a set holds only eight or twelve
// lines.
constexpr std::uint64_t cache_way = 4096;

lane_shape with_stride(std::int64_t stride, bool exact_signed, bool exact_unsigned) {
  if (stride == 0) return lane_shape::uniform();
  return lane_shape::strided(stride, exact_signed, exact_unsigned);
}

bool has_one_target(const llvm::BasicBlock& block) {
  const llvm::Instruction* end = block.getTerminator();
  for (unsigned i = 1; i < end->getNumSuccessors(); ++i) {
    if (end->getSuccessor(i) != end->getSuccessor(0)) return false;
  }
  return true;
}

/// Returns the known bits of a value, including bits that a branch has tested if only one side of the branch leads to
/// `block`.
llvm::KnownBits known_bits(llvm::Value* value, const llvm::BasicBlock& block, const llvm::DataLayout& layout) {
  using namespace llvm::PatternMatch;
  constexpr unsigned most_branches = 8;
  llvm::KnownBits known = llvm::computeKnownBits(value, layout);
  const llvm::BasicBlock* to = &block;
  for (unsigned i = 0; i < most_branches; ++i) {
    const llvm::BasicBlock* from = to->getSinglePredecessor();
    if (!from) break;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
    const llvm::APInt *bits = nullptr, *expected = nullptr;
    const auto asked =
        m_SpecificICmp(llvm::CmpInst::ICMP_EQ, m_And(m_Specific(value), m_APInt(bits)), m_APInt(expected));
    const bool only_then =
        branch && branch->isConditional() && branch->getSuccessor(0) == to && branch->getSuccessor(1) != to;
    if (only_then && match(branch->getCondition(), asked)) {
      known.One |= *bits & *expected;
      known.Zero |= *bits & ~*expected;
    }
    to = from;
  }
  return known;
}

/// Whether a path from the blocks `starts` to `meet` leaves the loop or begins its next iteration. Lanes then come to
/// `meet` in different iterations.
bool is_left_before(const llvm::Loop& loop, llvm::ArrayRef<llvm::BasicBlock*> starts, const llvm::BasicBlock* meet) {
  if (!loop.contains(meet)) return true;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<llvm::BasicBlock*, 16> work(starts);
  while (!work.empty()) {
    llvm::BasicBlock* block = work.pop_back_val();
    if (block == meet || !seen.insert(block).second) continue;
    if (!loop.contains(block) || block == loop.getHeader()) return true;
    llvm::append_range(work, llvm::successors(block));
  }
  return false;
}

} // namespace

lane_shapes::lane_shapes(llvm::Function& function, const llvm::LoopInfo& loops,
                         const llvm::PostDominatorTree& postdominators, lane_facts facts)
    : m_function(function),
      m_loops(loops),
      m_postdominators(postdominators),
      m_facts(facts),
      m_layout(function.getParent()->getDataLayout()) {
  do {
    find_shapes();
  } while (find_divergence() && !m_failure);
}

lane_mask lane_shapes::mask(const llvm::BasicBlock* block) const {
  if (m_partial.contains(block)) return lane_mask::partial;
  return m_facts.prefix ? lane_mask::prefix : lane_mask::full;
}

lane_shape lane_shapes::of(const llvm::Value* value) const {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    const unsigned number = argument->getArgNo();
    const bool of_one = number >= parameter_global_id && number < parameter_global_id + 2 &&
                        m_facts.rows_of_one[number - parameter_global_id];
    if (m_facts.whole_group && !of_one &&
        ((number >= parameter_global_id && number < parameter_group_id) || number == parameter_item)) {
      return lane_shape::varying();
    }
    switch (number) {
      case parameter_global_id + 2:
      case parameter_item: return lane_shape::strided(1, true, true);
      case parameter_local_id + 2: return lane_shape::strided(1, true, true, m_facts.aligned_local_id);
      default: return lane_shape::uniform();
    }
  }
  if (!llvm::isa<llvm::Instruction>(value)) return lane_shape::uniform();
  const auto found = m_shapes.find(value);
  return found == m_shapes.end() ? lane_shape::varying() : found->second;
}

// ------------------------------------------------------------------------------------------------- values

void lane_shapes::find_shapes() {
  // Shapes start as "not known yet" and only get less regular. A value that depends on itself around a loop begins with
  // the shape of its initial value.
  m_shapes.clear();
  bool changed = true;
  while (changed) {
    changed = false;
    for (const llvm::BasicBlock& block : m_function) {
      for (const llvm::Instruction& instruction : block) {
        if (instruction.getType()->isVoidTy()) continue;
        lane_shape shape;
        if (!shape_of(instruction, shape)) continue;
        auto [known, added] = m_shapes.try_emplace(&instruction, shape);
        if (added) {
          changed = true;
        } else if (known->second != shape && !known->second.is_varying()) {
          // From round to round, a shape may only lose its flags `exact` and `aligned`. If its kind or its stride would
          // change, the value becomes varying.
          const bool weaker = known->second.what == shape.what && known->second.stride == shape.stride &&
                              known->second.exact_signed >= shape.exact_signed &&
                              known->second.exact_unsigned >= shape.exact_unsigned &&
                              known->second.aligned >= shape.aligned;
          known->second = weaker ? shape : lane_shape::varying();
          changed = true;
        }
      }
    }
  }
}

bool lane_shapes::shape_of(const llvm::Instruction& instruction, lane_shape& result) const {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return shape_of_phi(*phi, result);
  bool all_uniform = true;
  for (const llvm::Value* operand : instruction.operands()) {
    if (llvm::isa<llvm::Instruction>(operand) && !m_shapes.contains(operand)) return false;
    all_uniform &= of(operand).is_uniform();
  }
  if (const sub_group_call what = sub_group_call_of(instruction); what != sub_group_call::none) {
    result = shape_of_exchange(instruction, what);
  } else if (is_lane_promise(instruction)) {
    result = of(instruction.getOperand(0));
  } else if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    // Each lane has a copy of the variable. The copies follow each other in memory, unless lay_side_by_side interleaved
    // their elements.
    const std::uint64_t side_by_side = lane_of_elements(*variable);
    const auto size = variable->getAllocationSize(m_layout);
    std::uint64_t step = size ? llvm::alignTo(size->getFixedValue(), variable->getAlign()) : 0;
    // With such a distance, the elements of all lanes at one index would be in the same set of the cache.
    if (step != 0 && step % cache_way == 0) step += std::max<std::uint64_t>(64, variable->getAlign().value());
    if (side_by_side != 0) step = side_by_side;
    result = step != 0 ? lane_shape::strided(static_cast<std::int64_t>(step), false, false) : lane_shape::varying();
  } else if (all_uniform) {
    result = shape_if_all_equal(instruction);
  } else if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    result = shape_of_binary(*binary);
  } else if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    result = shape_of_cast(*cast);
  } else if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    result = shape_of_address(*address);
  } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
    result = of(instruction.getOperand(0));
  } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    const lane_shape a = of(select->getTrueValue()), b = of(select->getFalseValue());
    const bool alike = of(select->getCondition()).is_uniform() && a.what == b.what && a.stride == b.stride;
    result = alike && !a.is_varying()
                 ? lane_shape::strided(a.stride, a.exact_signed && b.exact_signed, a.exact_unsigned && b.exact_unsigned)
                 : lane_shape::varying();
  } else if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
    const lane_shape a = of(compare->getOperand(0)), b = of(compare->getOperand(1));
    const bool alike = compare->isEquality() && !a.is_varying() && !b.is_varying() && a.stride == b.stride;
    result = alike || compares_whole_vectors(*compare) ? lane_shape::uniform() : lane_shape::varying();
  } else {
    result = lane_shape::varying();
  }
  return true;
}

/// Whether an aligned position is compared with a multiple of the vector's length. All lanes are then on one side of
/// this multiple.
bool lane_shapes::compares_whole_vectors(const llvm::ICmpInst& compare) const {
  llvm::CmpInst::Predicate predicate = compare.getPredicate();
  const llvm::Value *position = compare.getOperand(0), *end = compare.getOperand(1);
  if (of(end).aligned) {
    std::swap(position, end);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  if (!of(position).aligned || !of(end).is_uniform() || !end->getType()->isIntegerTy()) return false;
  const llvm::KnownBits known = llvm::computeKnownBits(end, m_layout);
  const unsigned low = llvm::Log2_32(m_facts.lanes);
  switch (predicate) {
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_UGE:
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_SGE: return known.countMinTrailingZeros() >= low;
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_SGT: return known.countMinTrailingOnes() >= low;
    default: return false;
  }
}

/// The shape of an exchange's result. With sub-groups, a vector is one sub-group.
lane_shape lane_shapes::shape_of_exchange(const llvm::Instruction& instruction, sub_group_call what) const {
  if (m_facts.whole_group && what != sub_group_call::size) return lane_shape::varying();
  switch (what) {
    case sub_group_call::local_id: return lane_shape::strided(1, true, true, true);
    case sub_group_call::shuffle: {
      const bool same = of(instruction.getOperand(0)).is_uniform() || of(instruction.getOperand(1)).is_uniform();
      return same ? lane_shape::uniform() : lane_shape::varying();
    }
    default: return lane_shape::uniform();
  }
}

lane_shape lane_shapes::shape_if_all_equal(const llvm::Instruction& instruction) const {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return load->isSimple() ? lane_shape::uniform() : lane_shape::varying();
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    // If all arguments are equal in all lanes, one call can compute the result of all lanes.
    return call->onlyReadsMemory() && call->willReturn() ? lane_shape::uniform() : lane_shape::varying();
  }
  return instruction.mayWriteToMemory() ? lane_shape::varying() : lane_shape::uniform();
}

bool lane_shapes::shape_of_phi(const llvm::PHINode& phi, lane_shape& result) const {
  const llvm::Value* same = phi.getIncomingValue(0);
  for (const llvm::Value* value : phi.incoming_values()) {
    if (value != same) same = nullptr;
  }
  if (m_joins.contains(phi.getParent())) {
    // The value is the same in all lanes only if all lanes computed it in the same iteration.
    bool settled = same != nullptr;
    if (const auto* instruction = llvm::dyn_cast_or_null<llvm::Instruction>(same)) {
      for (const llvm::Loop* loop = m_loops.getLoopFor(instruction->getParent()); loop; loop = loop->getParentLoop()) {
        settled &= loop->contains(phi.getParent()) || !m_divergent_loops.contains(loop);
      }
      if (settled && !m_shapes.contains(instruction)) return false;
    }
    result = settled ? of(same) : lane_shape::varying();
    return true;
  }
  bool any = false;
  for (const llvm::Value* value : phi.incoming_values()) {
    if (value == &phi || (llvm::isa<llvm::Instruction>(value) && !m_shapes.contains(value))) continue;
    const lane_shape shape = of(value);
    if (!any) {
      result = shape;
      any = true;
    } else if (shape.what != result.what || shape.stride != result.stride) {
      result = lane_shape::varying();
    } else {
      result.exact_signed &= shape.exact_signed;
      result.exact_unsigned &= shape.exact_unsigned;
      // The phi is aligned if all incoming values are aligned. An example is a loop counter whose step is the group's
      // size.
      result.aligned &= shape.aligned;
    }
  }
  return any;
}

/// Whether flags like nsw hold in lane 0, from which the other lanes' values are computed. Flags need not hold in a
/// work-item that does not use the result, and lane 0 may be such a work-item. Flags do hold if lane 0's behaviour
/// would be undefined otherwise.
bool lane_shapes::lane_0_keeps_promises(const llvm::Instruction& instruction) const {
  // If all summands of a sum are ids and ranges, the sum is a position in a row. Such a sum does not wrap in any
  // work-item, even if the work-item does not use the sum.
  if (!llvm::is_contained({llvm::Instruction::Mul, llvm::Instruction::Shl}, instruction.getOpcode()) &&
      llvm::all_of(instruction.operands(), [](const llvm::Use& operand) { return llvm::isa<llvm::Argument>(operand); }))
    return true;
  return mask(instruction.getParent()) != lane_mask::partial && llvm::programUndefinedIfPoison(&instruction);
}

/// Whether a sum wraps in lane 0 only if it wraps in all lanes. This is so if one summand grows from lane to lane and
/// the other one is equal in all lanes, because lane 0 then has the smallest sum. The promise that the sum does not
/// wrap holds for every lane that uses the sum. The sum of lane 0 is smaller, so it does not wrap, either, even if lane
/// 0 is inactive.
bool lane_shapes::lane_0_wraps_last(const llvm::BinaryOperator& sum, bool is_signed) const {
  if (sum.getOpcode() != llvm::Instruction::Add) return false;
  const llvm::Value *grown = sum.getOperand(0), *same = sum.getOperand(1);
  if (of(grown).is_uniform()) std::swap(grown, same);
  if (!of(same).is_uniform() || of(grown).stride <= 0) return false;
  if (!is_signed || llvm::computeKnownBits(same, m_layout).isNonNegative()) return true;
  // If the equal summand is negative, lane 0's sum might wrap first, below the smallest number. This can't happen if
  // the other summand, such as an id, is nonnegative in all lanes.
  const auto* narrowed = llvm::dyn_cast<llvm::TruncInst>(grown);
  const llvm::Value* id = narrowed ? narrowed->getOperand(0) : grown;
  return llvm::isa<llvm::Argument>(id) && llvm::computeKnownBits(grown, m_layout).isNonNegative();
}

/// Whether a sum adds a multiple of the number of lanes to an aligned position. If rows consist of whole vectors, the
/// position in the group is such a sum.
bool lane_shapes::keeps_aligned(const llvm::BinaryOperator& sum, const lane_shape& a, const lane_shape& b) const {
  const unsigned low = llvm::Log2_32(m_facts.lanes);
  const auto is_multiple = [&](unsigned operand) {
    return llvm::computeKnownBits(sum.getOperand(operand), m_layout).countMinTrailingZeros() >= low;
  };
  return (a.aligned && b.is_uniform() && is_multiple(1)) || (b.aligned && a.is_uniform() && is_multiple(0));
}

/// The shape of (l << n) & mask or (l >> n) & mask for an aligned l. It is uniform if the mask keeps none of the bits
/// in which lanes differ, and strided if the mask keeps all of them. LLVM writes multiples of l % length, and of l /
/// lanes (the number of a sub-group), in this way.
std::optional<lane_shape> lane_shapes::shape_of_bits(const llvm::BinaryOperator& mask) const {
  const auto* kept = llvm::dyn_cast<llvm::ConstantInt>(mask.getOperand(1));
  const auto* shift = llvm::dyn_cast<llvm::BinaryOperator>(mask.getOperand(0));
  if (mask.getOpcode() != llvm::Instruction::And || !kept || !shift || kept->getBitWidth() > 64) return std::nullopt;
  const auto* by = llvm::dyn_cast<llvm::ConstantInt>(shift->getOperand(1));
  if (!by || by->getValue().uge(kept->getBitWidth()) || !of(shift->getOperand(0)).aligned) return std::nullopt;
  const bool is_left = shift->getOpcode() == llvm::Instruction::Shl;
  if (!is_left && shift->getOpcode() != llvm::Instruction::LShr) return std::nullopt;
  const llvm::APInt lanes(kept->getBitWidth(), m_facts.lanes - 1);
  const auto bits = static_cast<unsigned>(by->getZExtValue());
  const llvm::APInt differ = is_left ? lanes.shl(bits) : lanes.lshr(bits);
  if (!differ.intersects(kept->getValue())) return lane_shape::uniform();
  if (!is_left || bits >= 31 || differ.lshr(bits) != lanes || !differ.isSubsetOf(kept->getValue())) return std::nullopt;
  return lane_shape::strided(std::int64_t{1} << bits, !kept->getValue().isNegative(), true);
}

lane_shape lane_shapes::shape_of_binary(const llvm::BinaryOperator& binary) const {
  const lane_shape a = of(binary.getOperand(0)), b = of(binary.getOperand(1));
  if (const std::optional<lane_shape> shape = shape_of_bits(binary)) return *shape;
  if (a.is_varying() || b.is_varying() || !binary.getType()->isIntegerTy()) return lane_shape::varying();
  bool no_signed_wrap = false, no_unsigned_wrap = false;
  const auto* flags = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&binary);
  if (flags && (flags->hasNoSignedWrap() || flags->hasNoUnsignedWrap())) {
    const bool kept = lane_0_keeps_promises(binary);
    no_signed_wrap = flags->hasNoSignedWrap() && (kept || lane_0_wraps_last(binary, /*is_signed=*/true));
    no_unsigned_wrap = flags->hasNoUnsignedWrap() && (kept || lane_0_wraps_last(binary, /*is_signed=*/false));
  }
  const bool exact_signed = a.exact_signed && b.exact_signed && no_signed_wrap;
  const bool exact_unsigned = a.exact_unsigned && b.exact_unsigned && no_unsigned_wrap;
  const auto* right = llvm::dyn_cast<llvm::ConstantInt>(binary.getOperand(1));
  const auto lanes = static_cast<std::int64_t>(m_facts.lanes);
  switch (binary.getOpcode()) {
    case llvm::Instruction::Add: {
      lane_shape sum = with_stride(a.stride + b.stride, exact_signed, exact_unsigned);
      sum.aligned = keeps_aligned(binary, a, b);
      return sum;
    }
    case llvm::Instruction::Sub: return with_stride(a.stride - b.stride, exact_signed, exact_unsigned);
    case llvm::Instruction::Or:
      // Behind a barrier, the operands' bits may no longer be known. Then only the flag `disjoint` tells that the
      // operands have no bits in common.
      if ((llvm::cast<llvm::PossiblyDisjointInst>(binary).isDisjoint() && lane_0_keeps_promises(binary)) ||
          llvm::KnownBits::haveNoCommonBitsSet(llvm::computeKnownBits(binary.getOperand(0), m_layout),
                                               llvm::computeKnownBits(binary.getOperand(1), m_layout))) {
        lane_shape sum =
            with_stride(a.stride + b.stride, a.exact_signed && b.exact_signed, a.exact_unsigned && b.exact_unsigned);
        sum.aligned = keeps_aligned(binary, a, b);
        return sum;
      }
      break;
    case llvm::Instruction::Mul:
      if (right && right->getValue().isSignedIntN(32) && llvm::isInt<31>(a.stride)) {
        return with_stride(a.stride * right->getSExtValue(), exact_signed, exact_unsigned);
      }
      break;
    case llvm::Instruction::Shl:
      if (right && right->getValue().ult(63)) return shape_of_shift(binary, a, exact_signed, exact_unsigned);
      break;
    case llvm::Instruction::And:
      switch (promised_of(binary)) {
        case lane_promise::counts_up: return lane_shape::strided(1, false, true);
        case lane_promise::same: return lane_shape::uniform();
        case lane_promise::none: break;
      }
      if ((a.aligned && b.is_uniform()) || (a.is_uniform() && b.aligned)) {
        const llvm::KnownBits mask = known_bits(binary.getOperand(a.aligned ? 1 : 0), *binary.getParent(), m_layout);
        const unsigned low = llvm::Log2_64(static_cast<std::uint64_t>(lanes));
        if (mask.countMinTrailingZeros() >= low) return lane_shape::uniform();
        if (mask.countMinTrailingOnes() >= low) return lane_shape::strided(1, mask.isNonNegative(), true, true);
      }
      break;
    case llvm::Instruction::AShr:
      if (right && right->getValue().ult(63)) return shape_of_quotient(binary, a, a.exact_signed);
      break;
    case llvm::Instruction::LShr:
      if (right && a.aligned && right->getValue().ult(63) && (lanes >> right->getZExtValue()) <= 1)
        return lane_shape::uniform();
      if (right && right->getValue().ult(63)) return shape_of_quotient(binary, a, a.exact_unsigned);
      break;
    default: break;
  }
  return lane_shape::varying();
}

/// The shape of a << n. Flags are not enough: LLVM drops them when it extends a number by two shifts, so known bits are
/// used, too.
lane_shape lane_shapes::shape_of_shift(const llvm::BinaryOperator& shift, const lane_shape& shifted, bool exact_signed,
                                       bool exact_unsigned) const {
  const auto by = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(shift.getOperand(1))->getZExtValue());
  const unsigned bits = shift.getType()->getIntegerBitWidth();
  if (by >= bits || by > 61 || std::abs(shifted.stride) >= std::int64_t{1} << (62 - by)) return lane_shape::varying();
  // Known bits hold for every work-item.
  const unsigned active = by + llvm::computeKnownBits(shift.getOperand(0), m_layout).countMaxActiveBits();
  return with_stride(shifted.stride * (std::int64_t{1} << by),
                     exact_signed || (shifted.exact_unsigned && active < bits),
                     exact_unsigned || (shifted.exact_unsigned && active <= bits));
}

/// The shape of a >> n if the values of neighbouring lanes differ by a multiple of 2^n. LLVM makes such shifts when it
/// extends a 32-bit number: a << 32 >> 31.
lane_shape lane_shapes::shape_of_quotient(const llvm::BinaryOperator& shift, const lane_shape& shifted,
                                          bool is_exact) const {
  const auto by = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(shift.getOperand(1))->getZExtValue());
  const std::int64_t unit = std::int64_t{1} << by;
  if (!is_exact || by == 0 || shifted.stride % unit != 0) return lane_shape::varying();
  return with_stride(shifted.stride / unit, /*exact_signed=*/true,
                     shift.getOpcode() == llvm::Instruction::LShr ||
                         llvm::computeKnownBits(shift.getOperand(0), m_layout).isNonNegative());
}

lane_shape lane_shapes::shape_of_cast(const llvm::CastInst& cast) const {
  lane_shape shape = of(cast.getOperand(0));
  if (shape.is_varying()) return shape;
  const bool trusted = lane_0_keeps_promises(cast);
  switch (cast.getOpcode()) {
    case llvm::Instruction::Trunc: {
      const auto& trunc = llvm::cast<llvm::TruncInst>(cast);
      const unsigned bits = cast.getType()->getIntegerBitWidth();
      const llvm::KnownBits known = llvm::computeKnownBits(cast.getOperand(0), m_layout);
      // Known bits hold for every work-item.
      const bool fits = shape.exact_unsigned && known.countMaxActiveBits() <= bits;
      const bool fits_signed = shape.exact_unsigned && known.countMaxActiveBits() < bits;
      shape.exact_unsigned = fits || (shape.exact_unsigned && trusted && trunc.hasNoUnsignedWrap());
      shape.exact_signed = fits_signed || (shape.exact_signed && trusted && trunc.hasNoSignedWrap());
      return shape;
    }
    case llvm::Instruction::ZExt: {
      const bool not_negative = (trusted && llvm::cast<llvm::ZExtInst>(cast).hasNonNeg()) ||
                                llvm::computeKnownBits(cast.getOperand(0), m_layout).isNonNegative();
      if (!shape.exact_unsigned && !(shape.exact_signed && not_negative)) return lane_shape::varying();
      shape.exact_signed = shape.exact_unsigned = true;
      return shape;
    }
    case llvm::Instruction::SExt:
      if (!shape.exact_signed) return lane_shape::varying();
      shape.exact_unsigned = llvm::computeKnownBits(cast.getOperand(0), m_layout).isNonNegative();
      return shape;
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      if (m_layout.getTypeSizeInBits(cast.getSrcTy()) != m_layout.getTypeSizeInBits(cast.getDestTy())) break;
      shape.exact_signed = shape.exact_unsigned = shape.aligned = false;
      return shape;
    default: break;
  }
  return lane_shape::varying();
}

lane_shape lane_shapes::shape_of_address(const llvm::GetElementPtrInst& address) const {
  const lane_shape base = of(address.getPointerOperand());
  if (base.is_varying()) return base;
  variable_offsets variable;
  llvm::APInt constant(64, 0);
  if (!llvm::cast<llvm::GEPOperator>(address).collectOffset(m_layout, 64, variable, constant))
    return lane_shape::varying();
  std::int64_t stride = base.stride;
  for (const auto& [index, scale] : variable) {
    const lane_shape shape = of(index);
    if (shape.is_varying() || !llvm::isInt<31>(shape.stride) || !scale.isSignedIntN(31)) return lane_shape::varying();
    // LLVM sign-extends indices of less than 64 bits.
    if (!shape.is_uniform() && index->getType()->getIntegerBitWidth() < 64 && !shape.exact_signed)
      return lane_shape::varying();
    stride += shape.stride * scale.getSExtValue();
  }
  return stride == 0 ? lane_shape::uniform() : lane_shape::strided(stride, false, false);
}

// ------------------------------------------------------------------------------------------------- control

bool lane_shapes::find_divergence() {
  const loop_set no_loops;
  const flow_graph graph(m_function, m_loops, no_loops);
  bool changed = false;
  for (llvm::BasicBlock& block : m_function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || has_one_target(block) || of(branch->getCondition()).is_uniform()) continue;
    if (!m_divergent.insert(&block).second) continue;
    part_at(graph, &block);
    changed = true;
  }
  return changed;
}

void lane_shapes::part_at(const flow_graph& graph, const llvm::BasicBlock* block) {
  const auto* node = m_postdominators.getNode(const_cast<llvm::BasicBlock*>(block));
  const llvm::BasicBlock* meet = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (!meet) {
    m_failure = "lanes that part may never meet again";
    return;
  }
  flow_graph::numbers starts;
  for (const llvm::BasicBlock* to : llvm::successors(block)) {
    const llvm::Loop* loop = m_loops.getLoopFor(to);
    const bool back = loop && loop->getHeader() == to && loop->contains(block);
    if (!back) starts.push_back(graph.number(to));
  }
  for (unsigned join : graph.joins(starts)) m_joins.insert(graph.block(join));
  make_partial(graph, graph.reach(starts, graph.number(meet)));
  const auto ways = llvm::to_vector_of<llvm::BasicBlock*, 2>(llvm::successors(const_cast<llvm::BasicBlock*>(block)));
  for (const llvm::Loop* loop = m_loops.getLoopFor(block); loop && is_left_before(*loop, ways, meet);
       loop = loop->getParentLoop()) {
    if (add_divergent_loop(loop)) leave_loop(graph, loop);
  }
}

bool lane_shapes::add_divergent_loop(const llvm::Loop* loop) {
  if (!m_divergent_loops.insert(loop).second) return false;
  for (const llvm::BasicBlock* block : loop->blocks()) m_partial.insert(block);
  return true;
}

void lane_shapes::leave_loop(const flow_graph& graph, const llvm::Loop* loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop->getUniqueExitBlocks(exits);
  flow_graph::numbers starts;
  llvm::BasicBlock* meet = nullptr;
  for (llvm::BasicBlock* exit : exits) {
    starts.push_back(graph.number(exit));
    m_joins.insert(exit);
    meet = meet ? m_postdominators.findNearestCommonDominator(meet, exit) : exit;
    // An edge to this exit may leave several loops. The lanes then wait in each of these loops.
    for (const llvm::Loop* outer = loop->getParentLoop(); outer && !outer->contains(exit);
         outer = outer->getParentLoop()) {
      if (add_divergent_loop(outer)) leave_loop(graph, outer);
    }
  }
  // The list includes exits of inner loops that also leave this loop.
  llvm::SmallVector<llvm::Loop::Edge, 4> edges;
  loop->getExitEdges(edges);
  for (const llvm::Loop::Edge& edge : edges) {
    for (const llvm::Loop* inner = m_loops.getLoopFor(edge.first); inner != loop; inner = inner->getParentLoop()) {
      if (add_divergent_loop(inner)) leave_loop(graph, inner);
    }
  }
  if (!meet) {
    m_failure = "a loop that lanes leave one by one has no end";
    return;
  }
  for (unsigned join : graph.joins(starts)) m_joins.insert(graph.block(join));
  make_partial(graph, graph.reach(starts, graph.number(meet)));
  // If lanes meet only outside an outer loop, they leave the outer loop in different iterations, too.
  for (const llvm::Loop* outer = loop->getParentLoop(); outer && is_left_before(*outer, exits, meet);
       outer = outer->getParentLoop()) {
    if (add_divergent_loop(outer)) leave_loop(graph, outer);
  }
}

void lane_shapes::make_partial(const flow_graph& graph, const flow_graph::numbers& blocks) {
  for (unsigned number : blocks) {
    m_partial.insert(graph.block(number));
  }
}

// ------------------------------------------------------------------------------------------------- memory

bool has_wide_memory_form(llvm::Type* type, const llvm::DataLayout& layout) {
  return llvm::VectorType::isValidElementType(type) && layout.typeSizeEqualsStoreSize(type) &&
         layout.getTypeStoreSize(type) == layout.getTypeAllocSize(type);
}

bool is_side_by_side(const lane_shape& address, std::int64_t bytes) {
  return address.what == lane_shape::kind::strided && address.stride == bytes;
}

bool is_consecutive(const lane_shape& address, llvm::Type* type, const llvm::DataLayout& layout) {
  return has_wide_memory_form(type, layout) &&
         is_side_by_side(address, static_cast<std::int64_t>(layout.getTypeAllocSize(type).getFixedValue()));
}

} // namespace sinter::passes
