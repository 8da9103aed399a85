#include "numbered_tiles.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include "loop_accesses.hpp"
#include "passes/called_names.hpp"
#include "passes/convergence.hpp"
#include "passes/device/sub_groups.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/llvm_versions.hpp"
#include "passes/work_items/local_atomics.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned deepest_number = 8;
// If the group's rows are much longer than the tile's rows, at least this many work-items go along one row of the tile.
constexpr std::uint64_t shortest_run = 16;
constexpr std::uint64_t widest_tile = 1 << 24;

using local_sizes = std::array<std::uint64_t, 3>;

/// The number i of a tile's element has the digits high, middle and low: i = (high * height + middle) * width + low.
enum class part : std::uint8_t {
  all,    ///< i
  rows,   ///< high * height + middle
  high,
  middle,
  low,
  lower,  ///< middle * width + low
};

struct numbered_loop {
  llvm::BasicBlock *before, *header, *latch, *inside, *exit;
  llvm::PHINode* index;
  llvm::Value* bound;
  bool is_signed;
  std::uint64_t most = 0;                  ///< the bound if it is known, else 0
  std::uint64_t width = 0, height = 1;     ///< a height of 1 means that there are only two digits
  llvm::MapVector<llvm::Instruction*, part> parts{};
  bool meets_before = false, meets_behind = false;
};

/// A division or remainder by a constant, which may be written as a shift or mask.
struct division {
  std::uint64_t by;
  bool is_remainder;
};

std::optional<division> division_of(const llvm::Instruction& instruction) {
  if (instruction.getNumOperands() != 2) return {};
  const auto* right = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  if (!right || right->isNegative() || right->getBitWidth() > 64) return {};
  const std::uint64_t number = right->getZExtValue();
  division found{number, false};
  switch (instruction.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv: break;
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem: found.is_remainder = true; break;
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      if (number >= 32) return {};
      found.by = std::uint64_t{1} << number;
      break;
    case llvm::Instruction::And:
      if (!llvm::isMask_64(number)) return {};
      found = {number + 1, true};
      break;
    default: return {};
  }
  return found.by >= 2 && found.by <= widest_tile ? std::optional(found) : std::nullopt;
}

/// If the value is a sum of multiples of local ids, returns the factors of the ids. Otherwise returns nothing.
std::optional<local_sizes> factors_of_ids(const llvm::Value* value, const local_sizes& range, unsigned depth = 0) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    const unsigned number = argument->getArgNo();
    if (number == parameter_item) return local_sizes{range[1] * range[2], range[2], 1};
    local_sizes one{};
    if (number < parameter_local_id || number >= parameter_local_id + 3) return {};
    one[number - parameter_local_id] = 1;
    return one;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > deepest_number) return {};
  if (llvm::isa<llvm::CastInst>(instruction) && instruction->getType()->isIntegerTy()) {
    // A narrower type may be too small to number all work-items.
    if (instruction->getType()->getIntegerBitWidth() < 32) return {};
    return factors_of_ids(instruction->getOperand(0), range, depth + 1);
  }
  const auto* sum = llvm::dyn_cast<llvm::PossiblyDisjointInst>(instruction);
  if (instruction->getOpcode() == llvm::Instruction::Add || (sum && sum->isDisjoint())) {
    const auto left = factors_of_ids(instruction->getOperand(0), range, depth + 1);
    const auto right = factors_of_ids(instruction->getOperand(1), range, depth + 1);
    if (!left || !right) return {};
    return local_sizes{(*left)[0] + (*right)[0], (*left)[1] + (*right)[1], (*left)[2] + (*right)[2]};
  }
  const bool shifts = instruction->getOpcode() == llvm::Instruction::Shl;
  if (!shifts && instruction->getOpcode() != llvm::Instruction::Mul) return {};
  const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
  auto factors = factors_of_ids(instruction->getOperand(0), range, depth + 1);
  if (!by || !factors || by->getValue().ugt(shifts ? 20 : widest_tile)) return {};
  for (std::uint64_t& each : *factors) each *= shifts ? std::uint64_t{1} << by->getZExtValue() : by->getZExtValue();
  return factors;
}

/// Whether the value is a number of the work-item: the group's work-items have the numbers 0, 1, 2 and so on.
bool numbers_work_items(const llvm::Value* value, const local_sizes& range) {
  const auto factors = factors_of_ids(value, range);
  if (!factors) return false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> digits;
  for (unsigned d = 0; d < 3; ++d) {
    if (range[d] > 1) digits.emplace_back((*factors)[d], range[d]);
  }
  llvm::sort(digits);
  std::uint64_t expected = 1;
  return llvm::all_of(digits, [&](const auto& digit) {
    const bool fits = digit.first == expected;
    expected *= digit.second;
    return fits;
  });
}

/// Whether the address comes from the kernel's arguments, so that it is not in local memory.
bool is_outside(const llvm::Value* address) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(address, objects, nullptr, 0);
  return llvm::all_of(objects, [](const llvm::Value* object) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
    return load && load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
  });
}

bool is_private(const llvm::Value* address) { return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address)); }

/// Whether work-items of the group can observe when an instruction before or after the loop runs.
bool notices_order(const llvm::Instruction& instruction) {
  if (!instruction.mayReadOrWriteMemory()) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    const llvm::Value* from = load->getPointerOperand();
    return !load->isSimple() ||
           !(load->hasMetadata(llvm::LLVMContext::MD_invariant_load) || is_outside(from) || is_private(from));
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return !store->isSimple() || !is_private(store->getPointerOperand());
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return !intrinsic || !intrinsic->isAssumeLikeIntrinsic();
}

bool is_group_barrier(const llvm::Instruction& instruction) {
  return is_barrier(instruction) && sub_group_call_of(instruction) != sub_group_call::barrier;
}

/// Whether `place` needs a barrier at its end. It needs a barrier if, since the last barrier, work-items may have run
/// instructions for which notices_order is true.
bool must_meet_before(const llvm::BasicBlock& place) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*, 16> work{&place};
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.pop_back_val();
    bool met = false;
    for (const llvm::Instruction& each : llvm::reverse(*block)) {
      if ((met = is_group_barrier(each))) break;
      if (notices_order(each)) return true;
    }
    if (met) continue;
    for (const llvm::BasicBlock* next : llvm::predecessors(block)) {
      if (seen.insert(next).second) work.push_back(next);
    }
  }
  return false;
}

bool must_meet_behind(const llvm::BasicBlock& place) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*, 16> work{&place};
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.pop_back_val();
    bool met = false;
    for (const llvm::Instruction& each : *block) {
      if ((met = is_group_barrier(each))) break;
      if (notices_order(each)) return true;
    }
    if (met) continue;
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      if (seen.insert(next).second) work.push_back(next);
    }
  }
  return false;
}

/// Finds the values of a loop that are numbers of elements, or digits of such numbers. Also finds whether each
/// iteration writes to an address of its own.
class tile_numbers {
public:
  tile_numbers(const llvm::Loop& loop, numbered_loop& found) : m_loop(loop), m_found(found) {}

  /// Finds the width, the height, and all values that are a `part` of an element's number. Returns false if the change
  /// would not make the loop faster.
  bool find() {
    std::uint64_t &width = m_found.width, &height = m_found.height;
    bool slow = false;
    each_division([&](llvm::Instruction&, division what, part of) {
      if (of == part::all) width = width == 0 ? what.by : std::min(width, what.by);
    });
    if (width == 0) return false;
    // There are three digits if another divisor is a multiple of the width, or if the row (the quotient) is divided
    // again.
    for (unsigned turn = 0; turn < 2; ++turn) {
      m_found.parts.clear();
      each_division([&](llvm::Instruction& instruction, division what, part of) {
        if (of == part::all && what.by != width && what.by % width == 0 && height == 1) height = what.by / width;
        if (of == part::rows && height == 1) height = what.by;
        if (const auto made = digits(of, what)) m_found.parts[&instruction] = *made;
      });
    }
    for (const auto& [instruction, number] : m_found.parts) {
      const std::optional<division> what = division_of(*instruction);
      slow |= what && !llvm::isPowerOf2_64(what->by);
    }
    return slow && height < widest_tile;
  }

  std::optional<part> part_of(const llvm::Value* value) const {
    for (unsigned depth = 0; depth < deepest_number; ++depth) {
      if (value == m_found.index) return part::all;
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
      if (!instruction || !m_loop.contains(instruction)) return {};
      const auto found = m_found.parts.find(const_cast<llvm::Instruction*>(instruction));
      if (found != m_found.parts.end()) return found->second;
      if (!keeps_number(*instruction)) return {};
      value = instruction->getOperand(0);
    }
    return {};
  }

  /// Whether the store writes to a different address in each iteration.
  bool has_own_place(const llvm::StoreInst& store) const {
    const llvm::DataLayout& layout = store.getModule()->getDataLayout();
    const auto bytes =
        static_cast<std::int64_t>(layout.getTypeStoreSize(store.getValueOperand()->getType()).getFixedValue());
    const auto place = place_of(store.getPointerOperand(), layout, 0);
    const auto width = static_cast<std::int64_t>(m_found.width), height = static_cast<std::int64_t>(m_found.height);
    if (!place || place->low < bytes) return false;
    const std::int64_t row = place->low * (width - 1) + bytes;
    // If there are only two digits, `high` is the row.
    if (height == 1) return place->high >= row;
    return place->middle >= row && place->high >= place->middle * (height - 1) + row;
  }

private:
  /// The number of bytes by which an address grows if a digit grows by 1.
  struct digit_steps {
    std::int64_t high = 0, middle = 0, low = 0;
    digit_steps plus(const digit_steps& other, std::int64_t factor = 1) const {
      return {high + factor * other.high, middle + factor * other.middle, low + factor * other.low};
    }
  };

  template <class Action>
  void each_division(const Action& action) {
    for (llvm::BasicBlock* block : m_loop.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        const std::optional<division> what = division_of(instruction);
        if (!what || !is_of_number(instruction)) continue;
        if (const auto of = part_of(instruction.getOperand(0))) action(instruction, *what, *of);
      }
    }
  }

  /// Whether the division gives digits of the number. A signed division gives other digits if the number may be a large
  /// unsigned number.
  bool is_of_number(const llvm::Instruction& division) const {
    const unsigned opcode = division.getOpcode();
    const bool is_signed = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem ||
                           opcode == llvm::Instruction::AShr;
    return !is_signed || m_found.is_signed || m_found.most != 0;
  }

  std::optional<part> digits(part of, division what) const {
    const std::uint64_t width = m_found.width, height = m_found.height;
    switch (of) {
      case part::all:
        if (what.by == width) return what.is_remainder ? part::low : part::rows;
        if (height != 1 && what.by == width * height) return what.is_remainder ? part::lower : part::high;
        return {};
      case part::rows:
        if (height == 1 || what.by != height) return {};
        return what.is_remainder ? part::middle : part::high;
      case part::lower:
        if (what.by != width) return {};
        return what.is_remainder ? part::low : part::middle;
      default: return {};
    }
  }

  /// Whether the instruction's value is the same number as its operand.
  bool keeps_number(const llvm::Instruction& instruction) const {
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Freeze:
      case llvm::Instruction::ZExt: return true;
      // Known bounds have at most 31 bits, so numbers below them are not negative.
      case llvm::Instruction::SExt: return m_found.is_signed || m_found.most != 0;
      case llvm::Instruction::Trunc:
        return m_found.most != 0 && instruction.getType()->getIntegerBitWidth() >= 32;
      default: return false;
    }
  }

  std::optional<digit_steps> steps_of_part(part number) const {
    const auto width = static_cast<std::int64_t>(m_found.width), height = static_cast<std::int64_t>(m_found.height);
    switch (number) {
      case part::all: return digit_steps{width * height, width, 1};
      case part::rows: return digit_steps{height, 1, 0};
      case part::high: return digit_steps{1, 0, 0};
      case part::middle: return digit_steps{0, 1, 0};
      case part::low: return digit_steps{0, 0, 1};
      case part::lower: return digit_steps{0, width, 1};
    }
    return {};
  }

  /// Whether an instruction in the loop has the same value in all iterations.
  bool stays(const llvm::Instruction& instruction, const llvm::DataLayout& layout, unsigned depth) const {
    const bool is_read = instruction.mayReadOrWriteMemory();
    if (llvm::isa<llvm::PHINode>(instruction) ||
        (is_read && !instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load)))
      return false;
    return llvm::all_of(instruction.operand_values(), [&](const llvm::Value* operand) {
      const auto moved = place_of(operand, layout, depth + 1);
      return moved && moved->high == 0 && moved->middle == 0 && moved->low == 0;
    });
  }

  /// For each digit, returns the step: by how much a number or an address grows with the digit. Returns nothing if the
  /// value depends on the iteration in another way, or may wrap.
  std::optional<digit_steps> place_of(const llvm::Value* value, const llvm::DataLayout& layout, unsigned depth) const {
    if (const auto number = part_of(value)) return steps_of_part(*number);
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !m_loop.contains(instruction)) return digit_steps{};
    if (depth > deepest_number) return {};
    if (stays(*instruction, layout, depth)) return digit_steps{};
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(instruction)) {
      variable_offsets variable;
      llvm::APInt constant(64, 0);
      auto all = place_of(address->getPointerOperand(), layout, depth + 1);
      if (!all || !address->collectOffset(layout, 64, variable, constant)) return {};
      for (const auto& [index, scale] : variable) {
        const auto moved = place_of(index, layout, depth + 1);
        if (!moved || !scale.isSignedIntN(24)) return {};
        all = all->plus(*moved, scale.getSExtValue());
      }
      return all;
    }
    if (instruction->getOpcode() == llvm::Instruction::SExt || instruction->getOpcode() == llvm::Instruction::ZExt) {
      const auto* sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(instruction->getOperand(0));
      const bool is_signed = instruction->getOpcode() == llvm::Instruction::SExt;
      if (sum && !(is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap())) return {};
      return place_of(instruction->getOperand(0), layout, depth + 1);
    }
    const auto* sum = llvm::dyn_cast<llvm::PossiblyDisjointInst>(instruction);
    const bool is_sum = instruction->getOpcode() == llvm::Instruction::Add || (sum && sum->isDisjoint());
    const bool shifts = instruction->getOpcode() == llvm::Instruction::Shl;
    if (!is_sum && !shifts && instruction->getOpcode() != llvm::Instruction::Mul) return {};
    // A sum in 32 bits that becomes an index must not wrap.
    if (instruction->getType()->getIntegerBitWidth() < 64 && !sum) {
      const auto* flags = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(instruction);
      if (!flags || !(flags->hasNoSignedWrap() || flags->hasNoUnsignedWrap())) return {};
    }
    const auto left = place_of(instruction->getOperand(0), layout, depth + 1);
    if (!left) return {};
    if (is_sum) {
      const auto right = place_of(instruction->getOperand(1), layout, depth + 1);
      return right ? std::optional(left->plus(*right)) : std::nullopt;
    }
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1));
    if (!by || by->isNegative() || by->getValue().ugt(shifts ? 20 : widest_tile)) return {};
    const auto number = static_cast<std::int64_t>(by->getZExtValue());
    return digit_steps{}.plus(*left, shifts ? std::int64_t{1} << number : number);
  }

  const llvm::Loop& m_loop;
  numbered_loop& m_found;
};

/// Whether all stores of an iteration go to the same element. If there were stores to several elements, stores
/// of different iterations could write to one address.
bool stores_to_one_element(const llvm::Loop& loop) {
  const llvm::Value* place = nullptr;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store) continue;
      if (place && place != store->getPointerOperand()) return false;
      place = store->getPointerOperand();
    }
  }
  return true;
}

/// Whether any work-item may run any iteration, because the iteration depends only on its number.
bool knows_only_its_number(const llvm::Loop& loop, const tile_numbers& numbers, const lane_shapes& all) {
  const llvm::Value* local_base = loop.getHeader()->getParent()->getArg(parameter_local_base);
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      for (const llvm::Value* operand : instruction.operand_values()) {
        const auto* inside = llvm::dyn_cast<llvm::Instruction>(operand);
        if (inside && loop.contains(inside)) continue;
        if (llvm::isa<llvm::AllocaInst>(operand)) return false;
        const bool is_start = llvm::isa<llvm::PHINode>(instruction) && instruction.getParent() == loop.getHeader();
        if ((inside || llvm::isa<llvm::Argument>(operand)) && !is_start && !all.of(operand).is_uniform()) return false;
      }
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (!store->isSimple() || !is_local_memory(store->getPointerOperand(), local_base) ||
            !numbers.has_own_place(*store))
          return false;
      } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (!load->isSimple() || !(load->hasMetadata(llvm::LLVMContext::MD_invariant_load) ||
                                   is_outside(load->getPointerOperand())))
          return false;
      } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
        const bool is_note = intrinsic && intrinsic->isAssumeLikeIntrinsic();
        if (!is_note && (!call->doesNotAccessMemory() || !call->willReturn() || call->isConvergent())) return false;
      } else if (instruction.mayReadOrWriteMemory()) {
        return false;
      }
    }
  }
  return true;
}

std::optional<numbered_loop> understand_tile(llvm::Loop& loop, const lane_shapes& all, const local_sizes& range) {
  llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  if (!loop.isInnermost() || !latch || latch == header || !before || loop.getExitingBlock() != header) return {};
  llvm::BasicBlock* exit = loop.getExitBlock();
  if (!exit || !exit->phis().empty() || all.mask(before) == lane_mask::partial) return {};
  // A header runs once more than the rest of its loop. In the new loop, the header runs once more for each row of a
  // tile.
  if (has_effects(*header)) return {};
  auto* index = llvm::dyn_cast<llvm::PHINode>(&header->front());
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  auto* compare = branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!index || index->getNextNode() != &*header->getFirstNonPHIIt() || !compare) return {};
  if (!index->getType()->isIntegerTy(32) && !index->getType()->isIntegerTy(64)) return {};
  llvm::CmpInst::Predicate predicate = compare->getPredicate();
  llvm::Value *left = compare->getOperand(0), *bound = compare->getOperand(1);
  if (bound == index) {
    std::swap(left, bound);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  llvm::BasicBlock* inside = branch->getSuccessor(0);
  if (!loop.contains(inside)) {
    inside = branch->getSuccessor(1);
    predicate = llvm::CmpInst::getInversePredicate(predicate);
  }
  if (left != index || !llvm::ICmpInst::isLT(predicate) || !all.of(bound).is_uniform()) return {};
  numbered_loop found{before, header, latch, inside, exit, index, bound, llvm::CmpInst::isSigned(predicate)};
  if (const auto* inner = llvm::dyn_cast<llvm::Instruction>(bound); inner && loop.contains(inner)) return {};
  // The step has to be the size of the group, and numbers must not wrap.
  const auto* next = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(index->getIncomingValueForBlock(latch));
  const std::uint64_t group = range[0] * range[1] * range[2];
  if (!next || next->getOpcode() != llvm::Instruction::Add || next->getOperand(0) != index) return {};
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
  if (!step || step->getValue() != group) return {};
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(bound)) {
    if (known->getValue().ugt(std::uint64_t{1} << 30) || known->isZero()) return {};
    found.most = known->getZExtValue();
  } else if (!(found.is_signed ? next->hasNoSignedWrap() : next->hasNoUnsignedWrap())) {
    return {};
  }
  if (!numbers_work_items(index->getIncomingValueForBlock(before), range)) return {};
  tile_numbers numbers(loop, found);
  if (!stores_to_one_element(loop) || !numbers.find() || !knows_only_its_number(loop, numbers, all)) return {};
  found.meets_before = must_meet_before(*before);
  found.meets_behind = must_meet_behind(*exit);
  return found;
}

/// Returns the number of neighbouring work-items that go along one row of the tile, or 0 if rows are too short.
std::uint64_t run_for(std::uint64_t width, std::uint64_t row_of_group) {
  std::uint64_t run = row_of_group;
  while (llvm::isPowerOf2_64(run) && run > shortest_run && run / 2 >= width) run /= 2;
  return 2 * width >= run ? run : 0;
}

void take_by_rows(const numbered_loop& what, const local_sizes& range) {
  llvm::Function& function = *what.header->getParent();
  llvm::PHINode* index = what.index;
  llvm::Type* type = index->getType();
  const auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(type, value); };
  const auto id = [&](unsigned dimension) { return function.getArg(parameter_local_id + dimension); };
  const std::uint64_t run = run_for(what.width, range[2]), runs = range[2] / run;

  llvm::IRBuilder<> builder(what.before->getTerminator());
  if (what.meets_before) create_barrier(builder, abi::scope::work_group);
  llvm::Value* row = builder.getInt64(0);
  if (range[0] > 1) row = builder.CreateMul(id(0), builder.getInt64(range[1]), "", true, true);
  if (range[1] > 1) row = builder.CreateAdd(row, id(1), "", true, true);
  llvm::Value* place = id(2);
  if (runs > 1) {
    row = builder.CreateMul(row, builder.getInt64(runs), "", true, true);
    row = builder.CreateAdd(row, builder.CreateLShr(place, llvm::Log2_64(run)), "", true, true);
    place = builder.CreateAnd(place, run - 1);
  }
  row = builder.CreateTrunc(row, type);
  place = builder.CreateTrunc(place, type);
  llvm::Value* numbers = what.bound;
  if (what.is_signed) numbers = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, numbers, number(0));
  llvm::Value* full_rows = builder.CreateUDiv(numbers, number(what.width));
  llvm::Value* rest = builder.CreateURem(numbers, number(what.width));
  llvm::Value* all_rows =
      builder.CreateAdd(full_rows, builder.CreateZExt(builder.CreateIsNotNull(rest), type), "", true, false);

  llvm::LLVMContext& context = function.getContext();
  llvm::BasicBlock* rows = llvm::BasicBlock::Create(context, "rows", &function, what.header);
  llvm::BasicBlock* next_row = llvm::BasicBlock::Create(context, "next.row", &function, what.exit);
  what.before->getTerminator()->replaceSuccessorWith(what.header, rows);
  builder.SetInsertPoint(rows);
  llvm::PHINode* y = builder.CreatePHI(type, 2, "row");
  llvm::Value* width = number(what.width);
  if (what.most % what.width != 0 || what.most == 0)
    width = builder.CreateSelect(builder.CreateICmpEQ(y, full_rows), rest, width);
  llvm::Value* first = builder.CreateMul(y, number(what.width), "", true, what.is_signed);
  llvm::Value *high = y, *middle = number(0);
  if (what.height != 1) {
    high = builder.CreateUDiv(y, number(what.height));
    middle = builder.CreateURem(y, number(what.height));
  }
  builder.CreateCondBr(builder.CreateICmpULT(y, all_rows), what.header, what.exit);
  builder.SetInsertPoint(next_row);
  llvm::Value* other = builder.CreateAdd(y, number(range[0] * range[1] * runs), "", true, false);
  builder.CreateBr(rows);
  y->addIncoming(row, what.before);
  y->addIncoming(other, next_row);

  builder.SetInsertPoint(what.header, what.header->begin());
  llvm::PHINode* x = builder.CreatePHI(type, 2, "column");
  builder.SetInsertPoint(what.header, what.header->getFirstInsertionPt());
  llvm::Value* all = builder.CreateAdd(first, x, "", true, what.is_signed);
  llvm::Value* lower = what.height == 1
                           ? x
                           : builder.CreateAdd(builder.CreateMul(middle, number(what.width), "", true, true), x, "",
                                               true, true);
  llvm::Value* parts[] = {all, y, high, middle, x, lower};
  for (const auto& [instruction, made] : what.parts) {
    builder.SetInsertPoint(instruction);
    llvm::Value* value = builder.CreateZExtOrTrunc(parts[static_cast<unsigned>(made)], instruction->getType());
    instruction->replaceAllUsesWith(value);
    instruction->eraseFromParent();
  }
  builder.SetInsertPoint(what.latch->getTerminator());
  x->addIncoming(place, rows);
  x->addIncoming(builder.CreateAdd(x, number(run), "", true, true), what.latch);
  index->replaceAllUsesWith(all);
  index->eraseFromParent();
  llvm::Instruction* end = what.header->getTerminator();
  builder.SetInsertPoint(end);
  builder.CreateCondBr(builder.CreateICmpULT(x, width), what.inside, next_row);
  end->eraseFromParent();
  if (!what.meets_behind) return;
  builder.SetInsertPoint(what.exit, what.exit->getFirstInsertionPt());
  create_barrier(builder, abi::scope::work_group);
}

}  // namespace

bool may_number_tiles(const llvm::Function& work_item) {
  return llvm::any_of(llvm::instructions(work_item), [](const llvm::Instruction& each) {
    const bool divides = each.isIntDivRem();
    const std::optional<division> what = divides ? division_of(each) : std::nullopt;
    return what && !llvm::isPowerOf2_64(what->by);
  });
}

bool take_tiles_by_rows(llvm::Function& work_item, const lane_analyses& all, const local_sizes& local_range) {
  if (local_range[2] < 2 || all.shapes.failure()) return false;
  std::vector<numbered_loop> found;
  for (llvm::Loop* loop : all.loops.getLoopsInPreorder()) {
    auto tile = understand_tile(*loop, all.shapes, local_range);
    if (tile && run_for(tile->width, local_range[2]) != 0) found.push_back(std::move(*tile));
  }
  for (const numbered_loop& each : found) take_by_rows(each, local_range);
  return !found.empty();
}

}  // namespace sinter::passes
