#include "lane_orders.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

using distances = llvm::SmallVector<std::int64_t, 16>;

constexpr unsigned deepest_order = 12;
// Shorter runs are no faster than gathers. If the distances between neighbouring runs are equal, even runs of two lanes
// are worthwhile, because one address is enough for all runs.
constexpr unsigned shortest_run = 4, shortest_regular_run = 2;
// The largest number of accesses that wait for a partner. Each new access is compared with all waiting accesses.
constexpr std::size_t most_alone = 8;

/// Finds the constant difference between each lane's value and lane 0's value, modulo 2^bits, if there is one. If
/// `lanes` is less than the vector's length, the vector consists of runs of `lanes` neighbouring lanes, and each
/// difference is the difference from the first lane of the lane's run. `promises` says that the first lane of each run
/// is active, so that flags (nuw, disjoint) hold in it.
class distance_finder {
public:
  distance_finder(const lane_shapes& shapes, const llvm::DataLayout& layout, unsigned lanes, bool promises)
      : m_shapes(shapes), m_layout(layout), m_lanes(lanes), m_promises(promises) {}

  std::optional<distances> of(const llvm::Value* value, unsigned depth = 0) const {
    const lane_shape shape = m_shapes.of(value);
    if (!shape.is_varying()) return regular(shape.stride);
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || depth > deepest_order) return {};
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) return of_address(*address, depth);
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(instruction)) return of_cast(*cast, depth);
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) return of_counter(*phi, depth);
    const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(instruction);
    if (!binary || !binary->getType()->isIntegerTy()) return {};
    return of_binary(*binary, depth);
  }

private:
  distances regular(std::int64_t stride) const {
    distances result;
    for (unsigned i = 0; i < m_lanes; ++i) result.push_back(wrapped(stride, i));
    return result;
  }

  /// Multiplies two numbers. The product wraps around, because differences of addresses wrap around.
  static std::int64_t wrapped(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }

  template <class Operation>
  static std::optional<distances> joined(const std::optional<distances>& a, const std::optional<distances>& b,
                                         const Operation& operation) {
    if (!a || !b) return {};
    distances result;
    for (std::size_t i = 0; i < a->size(); ++i) {
      result.push_back(static_cast<std::int64_t>(
          operation(static_cast<std::uint64_t>((*a)[i]), static_cast<std::uint64_t>((*b)[i]))));
    }
    return result;
  }

  std::optional<distances> of_binary(const llvm::BinaryOperator& binary, unsigned depth) const {
    const llvm::Value *left = binary.getOperand(0), *right = binary.getOperand(1);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(right);
    // The low bits of lane i hold i, shifted to the left. The higher bits are the same in all lanes.
    const auto shift = constant ? counter_shift(*left) : std::nullopt;
    const auto low = shift ? constant->getValue().zextOrTrunc(64).getZExtValue() & ((m_lanes << *shift) - 1) : 0;
    const auto with_low_bits = [&](const auto& operation) {
      return shift ? joined(regular(std::int64_t{1} << *shift), regular(0), operation) : std::nullopt;
    };
    switch (binary.getOpcode()) {
      case llvm::Instruction::Add:
        return joined(of(left, depth + 1), of(right, depth + 1), std::plus<>());
      case llvm::Instruction::Sub:
        return joined(of(left, depth + 1), of(right, depth + 1), std::minus<>());
      case llvm::Instruction::And:
        return with_low_bits([&](std::uint64_t i, std::uint64_t) { return i & low; });
      case llvm::Instruction::Xor:
        return with_low_bits([&](std::uint64_t i, std::uint64_t) { return (i ^ low) - low; });
      case llvm::Instruction::Or:
        if (shift) return with_low_bits([&](std::uint64_t i, std::uint64_t) { return (i | low) - low; });
        if (m_promises ? !llvm::cast<llvm::PossiblyDisjointInst>(binary).isDisjoint()
                       : !llvm::KnownBits::haveNoCommonBitsSet(known_bits(left), known_bits(right))) {
          return {};
        }
        return joined(of(left, depth + 1), of(right, depth + 1), std::plus<>());
      case llvm::Instruction::LShr:
        if (shift != 0u || constant->getValue().uge(64)) return {};
        return with_low_bits([&](std::uint64_t i, std::uint64_t) { return i >> constant->getZExtValue(); });
      case llvm::Instruction::Mul:
        if (!constant) return same(left, right, depth);
        if (!constant->getValue().isSignedIntN(32)) return {};
        return scaled(of(left, depth + 1), constant->getSExtValue());
      case llvm::Instruction::Shl:
        if (!constant || constant->getValue().uge(32)) return {};
        return scaled(of(left, depth + 1), std::int64_t{1} << constant->getZExtValue());
      default:
        return {};
    }
  }

  /// The number of bits by which the value is shifted left, if it is a shifted counter of lanes. Such a counter grows
  /// by one from lane to lane. In lane 0, the counter is a multiple of the number of lanes. Returns nothing for other
  /// values.
  std::optional<unsigned> counter_shift(const llvm::Value& value) const {
    constexpr unsigned longest_shift = 16;
    const auto is_counter = [&](const llvm::Value* each) {
      const lane_shape shape = m_shapes.of(each);
      return shape.what == lane_shape::kind::strided && shape.aligned;
    };
    if (is_counter(&value)) return 0;
    const auto* shifted = llvm::dyn_cast<llvm::BinaryOperator>(&value);
    if (!shifted || shifted->getOpcode() != llvm::Instruction::Shl || !is_counter(shifted->getOperand(0))) return {};
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(shifted->getOperand(1));
    if (!by || by->getValue().ugt(longest_shift)) return {};
    return static_cast<unsigned>(by->getZExtValue());
  }

  /// If both operands of a value are equal in all lanes, the differences between the lanes of the value are 0. Returns
  /// nothing for other operands.
  std::optional<distances> same(const llvm::Value* left, const llvm::Value* right, unsigned depth) const {
    for (const llvm::Value* each : {left, right}) {
      const auto found = of(each, depth + 1);
      if (!found || llvm::any_of(*found, [](std::int64_t distance) { return distance != 0; })) return {};
    }
    return regular(0);
  }

  llvm::KnownBits known_bits(const llvm::Value* value) const {
    return llvm::computeKnownBits(value, m_layout, nullptr, nullptr, nullptr, /*UseInstrInfo=*/m_promises);
  }

  static std::optional<distances> scaled(std::optional<distances> values, std::int64_t by) {
    if (!values) return {};
    for (std::int64_t& each : *values) each = wrapped(each, by);
    return values;
  }

  /// All active lanes add the same step in each iteration, so the differences between lanes stay as they were at the
  /// loop's beginning. Inactive lanes would not add the step, so blocks with partial masks are excluded.
  std::optional<distances> of_counter(const llvm::PHINode& phi, unsigned depth) const {
    if (!m_promises || phi.getNumIncomingValues() != 2 || !phi.getType()->isIntegerTy() ||
        m_shapes.mask(phi.getParent()) == lane_mask::partial)
      return {};
    for (unsigned i = 0; i < 2; ++i) {
      const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValue(i));
      if (next && next->getOpcode() == llvm::Instruction::Add && next->getOperand(0) == &phi &&
          m_shapes.of(next->getOperand(1)).is_uniform())
        return of(phi.getIncomingValue(1 - i), depth + 1);
    }
    return {};
  }

  /// The differences between the lanes of a cast's result. An extension keeps the differences between lanes in two
  /// cases: the differences are small and the sign bits are 0, or the number is a sum that does not wrap (its operands
  /// could be extended instead).
  std::optional<distances> of_cast(const llvm::CastInst& cast, unsigned depth) const {
    if (llvm::isa<llvm::TruncInst>(cast)) return of(cast.getOperand(0), depth + 1);
    if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(cast)) return {};
    const auto* sum = llvm::dyn_cast<llvm::AddOperator>(cast.getOperand(0));
    const bool is_signed = llvm::isa<llvm::SExtInst>(cast);
    if (sum && m_promises && (is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()))
      return joined(extended(*sum->getOperand(0), depth + 1), extended(*sum->getOperand(1), depth + 1), std::plus<>());
    return extended(*cast.getOperand(0), depth);
  }

  /// The differences between the lanes of a number after the number is extended to more bits.
  std::optional<distances> extended(const llvm::Value& value, unsigned depth) const {
    if (m_shapes.of(&value).is_uniform()) return regular(0);
    const unsigned bits = value.getType()->getIntegerBitWidth();
    if (bits < 16 || bits > 64 || !known_bits(&value).isNonNegative()) return {};
    auto result = of(&value, depth + 1);
    const bool close = result && llvm::all_of(*result, [&](std::int64_t each) { return llvm::isIntN(bits - 1, each); });
    return close ? result : std::nullopt;
  }

  std::optional<distances> of_address(const llvm::GetElementPtrInst& address, unsigned depth) const {
    variable_offsets variable;
    llvm::APInt constant(64, 0);
    if (!llvm::cast<llvm::GEPOperator>(address).collectOffset(m_layout, 64, variable, constant)) return {};
    std::optional<distances> sum = of(address.getPointerOperand(), depth + 1);
    for (const auto& [index, scale] : variable) {
      if (index->getType()->getIntegerBitWidth() != 64 || !scale.isSignedIntN(32)) return {};
      sum = joined(sum, scaled(of(index, depth + 1), scale.getSExtValue()), std::plus<>());
    }
    return sum;
  }

  const lane_shapes& m_shapes;
  const llvm::DataLayout& m_layout;
  unsigned m_lanes;
  bool m_promises;
};

/// An access that may become part of a group.
struct candidate {
  llvm::Instruction* access;
  llvm::Type* type;
  const llvm::Value* base;
  std::int64_t offset;  ///< bytes from the base to lane 0's element
  distances lanes;
};

bool is_known_access(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return (load && load->isSimple()) || (store && store->isSimple());
}

std::optional<lane_orders::group> group_of(llvm::ArrayRef<const candidate*> members, std::int64_t size) {
  lane_orders::group result;
  const candidate& first = *members.front();
  std::int64_t lowest = first.offset;
  for (const candidate* each : members) {
    for (std::int64_t distance : each->lanes) lowest = std::min(lowest, each->offset + distance);
  }
  const std::size_t count = members.size() * first.lanes.size();
  std::vector<bool> seen(count);
  for (const candidate* each : members) {
    result.accesses.push_back(each->access);
    for (std::int64_t distance : each->lanes) {
      const std::int64_t bytes = each->offset + distance - lowest;
      const auto element = static_cast<std::size_t>(bytes / size);
      if (bytes % size != 0 || element >= count || seen[element]) return {};
      seen[element] = true;
      result.elements.push_back(static_cast<int>(element));
    }
  }
  result.start = lowest - first.offset;
  return result;
}

/// Whether one access can replace both accesses. The common access would be at the place of the first load, or at the
/// place of the second store.
bool can_meet(const llvm::Instruction& first, const llvm::Instruction& second) {
  const bool loads = llvm::isa<llvm::LoadInst>(first);
  for (const llvm::Instruction* each = first.getNextNode(); each != &second; each = each->getNextNode()) {
    if (!llvm::isGuaranteedToTransferExecutionToSuccessor(each)) return false;
    if (loads ? each->mayWriteToMemory() : each->mayReadOrWriteMemory()) return false;
  }
  return true;
}

/// The distance from the first lane of each run of `length` lanes to the first lane of the next run. Returns nothing if
/// the distances are not equal.
std::optional<std::int64_t> regular_step(const std::optional<distances>& lanes, unsigned length) {
  if (!lanes) return {};
  const std::int64_t step = (*lanes)[length];
  for (std::size_t i = 0; i < lanes->size(); i += length) {
    if ((*lanes)[i] != static_cast<std::int64_t>(i / length) * step) return {};
  }
  return step;
}

}  // namespace

lane_orders::lane_orders(const llvm::Function& function, const lane_shapes& shapes) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const distance_finder finder(shapes, layout, shapes.facts().lanes, /*promises=*/true);
  auto add = [&](const std::optional<group>& made) {
    if (!made) return false;
    for (const llvm::Instruction* each : made->accesses) m_numbers[each] = static_cast<unsigned>(m_groups.size());
    m_groups.push_back(*made);
    return true;
  };
  find_runs(function, shapes);
  for (const llvm::BasicBlock& block : function) {
    if (shapes.mask(&block) == lane_mask::partial) continue;
    llvm::SmallVector<candidate, 4> alone;  // accesses without a partner
    for (const llvm::Instruction& instruction : block) {
      if (!is_known_access(instruction)) continue;
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      llvm::Type* type = llvm::getLoadStoreType(&instruction);
      const lane_shape shape = shapes.of(address);
      if (shape.is_uniform() || is_consecutive(shape, type, layout) || !has_wide_memory_form(type, layout)) continue;
      auto lanes = finder.of(address);
      if (!lanes) continue;
      llvm::APInt offset(64, 0);
      const llvm::Value* base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
      candidate now{const_cast<llvm::Instruction*>(&instruction), type, base, offset.getSExtValue(), *lanes};
      const auto size = static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
      if (add(group_of({&now}, size))) continue;
      const auto partner = llvm::find_if(alone, [&](const candidate& before) {
        return before.base == base && before.type == type && before.access->getOpcode() == instruction.getOpcode() &&
               can_meet(*before.access, instruction) && add(group_of({&before, &now}, size));
      });
      if (partner != alone.end()) {
        alone.erase(partner);
        continue;
      }
      if (alone.size() == most_alone) alone.erase(alone.begin());
      alone.push_back(std::move(now));
    }
  }
}

void lane_orders::find_runs(const llvm::Function& function, const lane_shapes& shapes) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const distance_finder in_all(shapes, layout, shapes.facts().lanes, /*promises=*/true);
  for (unsigned lanes = shapes.facts().lanes / 2; lanes >= shortest_regular_run; lanes /= 2) {
    const distance_finder all(shapes, layout, lanes, /*promises=*/true);
    const distance_finder some(shapes, layout, lanes, /*promises=*/false);
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!is_known_access(instruction) || m_runs.contains(&instruction)) continue;
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      llvm::Type* type = llvm::getLoadStoreType(&instruction);
      if (!shapes.of(address).is_varying() || !has_wide_memory_form(type, layout)) continue;
      // The addresses of a run of lanes are computed from the address of the run's first lane. With a partial mask, the
      // first lane may be inactive, so flags in the computation of its address can't be relied on.
      const lane_mask mask = shapes.mask(instruction.getParent());
      const bool partial = mask == lane_mask::partial;
      if (lanes < shortest_run && mask != lane_mask::full) continue;
      const auto found = (partial ? some : all).of(address);
      if (!found) continue;
      const auto size = static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
      bool side_by_side = true, same = true;
      for (unsigned i = 0; i < lanes; ++i) {
        side_by_side &= (*found)[i] == size * i;
        same &= (*found)[i] == 0;
      }
      if (!side_by_side && !(same && llvm::isa<llvm::LoadInst>(instruction))) continue;
      const auto apart = partial ? std::nullopt : regular_step(in_all.of(address), lanes);
      if (lanes >= shortest_run || apart) m_runs[&instruction] = {lanes, same, apart};
    }
  }
}

const lane_orders::group* lane_orders::of(const llvm::Instruction& access) const {
  const auto found = m_numbers.find(&access);
  return found == m_numbers.end() ? nullptr : &m_groups[found->second];
}

}  // namespace sinter::passes
