#include "loop_accesses.hpp"

#include <algorithm>
#include <cstdlib>

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "passes/device/work_item_function.hpp"
#include "passes/lanes/lane_plan.hpp"
#include "passes/llvm_versions.hpp"
#include "passes/work_items/local_atomics.hpp"

namespace sinter::passes {
namespace {

// Rows need at least this many bytes to be worthwhile, because prefetchers follow a row only after a few cache lines.
constexpr std::uint64_t shortest_row = 1024;
// Rows that follow each other directly in memory need only this many bytes to be worthwhile.
constexpr std::uint64_t shortest_following_row = 256;

constexpr unsigned first_dimensions = 2;  ///< the number of dimensions before the one that lanes follow

/// The ids on which a value depends, and whether it depends on a phi in a cycle.
struct sources {
  bool lane_id = false, phi = false;
  bool dimension[first_dimensions] = {};
};

bool is_id(unsigned parameter, unsigned dimension) {
  return parameter == parameter_global_id + dimension || parameter == parameter_local_id + dimension ||
         parameter == parameter_group_id + dimension;
}

void find_sources(const llvm::Value* value, sources& found, llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    const unsigned number = argument->getArgNo();
    found.lane_id |= is_id(number, 2) || number == parameter_item;
    for (unsigned d = 0; d < first_dimensions; ++d) found.dimension[d] |= is_id(number, d);
    return;
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !seen.insert(instruction).second) return;
  found.phi |= llvm::isa<llvm::PHINode>(instruction);
  for (const llvm::Value* operand : instruction->operand_values()) find_sources(operand, found, seen);
}

sources sources_of(const llvm::Value* value) {
  sources found;
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  find_sources(value, found, seen);
  return found;
}

/// Whether an address depends on each id that the kernel uses of the first dimensions. If the address does not depend
/// on one of these ids, work-items of other rows read the same memory again.
bool is_of_one_row(const llvm::Function& work_item, const sources& place) {
  for (unsigned d = 0; d < first_dimensions; ++d) {
    for (unsigned first : {parameter_global_id, parameter_local_id, parameter_group_id}) {
      if (!work_item.getArg(first + d)->use_empty() && !place.dimension[d]) return false;
    }
  }
  return true;
}

/// Returns the address that the instruction accesses, if its memory may change. Otherwise returns null.
const llvm::Value* accessed_place(const llvm::Instruction& instruction) {
  if (instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return nullptr;
  return llvm::getLoadStorePointerOperand(&instruction);
}

/// Whether other work-items can't observe when the instruction runs.
bool has_no_order(const llvm::Instruction& instruction, const row_facts& row) {
  const llvm::Value* local_base = instruction.getFunction()->getArg(parameter_local_base);
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return update->use_empty() && !update->isVolatile() && update->getType()->isIntegerTy() &&
           reduction_of(update->getOperation()) != llvm::Intrinsic::not_intrinsic &&
           !llvm::isStrongerThanMonotonic(update->getOrdering()) &&
           is_local_memory(update->getPointerOperand(), local_base);
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    // If all work-items store to one address, the value of the last store remains, so the order is visible.
    return store->isSimple() && !row.lanes.of(store->getPointerOperand()).is_uniform();
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    if (intrinsic->isAssumeLikeIntrinsic()) return true;
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return call->doesNotAccessMemory() && call->willReturn() && !call->isConvergent();
  return !instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::AllocaInst>(instruction);
}

/// Follows selects and casts to the number that nearly all launches choose. The pass of grid_pieces.hpp makes such
/// selects.
const llvm::Value* usual_value(const llvm::Value* value) {
  for (;;) {
    const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
    const auto* choice = llvm::dyn_cast<llvm::SelectInst>(value);
    if (!cast && !choice) return value;
    value = cast ? cast->getOperand(0) : choice->getTrueValue();
  }
}

/// The distance by which a number changes from iteration to iteration.
struct step {
  enum class kind : std::uint8_t { constant, any_length, irregular } what = kind::constant;
  std::int64_t length = 0;

  bool stays() const { return what == kind::constant && length == 0; }
  step times(std::int64_t factor) const { return {what, what == kind::constant ? length * factor : 0}; }
  step plus(step other) const {
    return {std::max(what, other.what), what == kind::constant ? length + other.length : 0};
  }
};

/// Finds the steps of values in a loop. Loads of arguments in the loop count as constants.
class steps_of_loop {
public:
  /// `row` is the number of work-items in a row.
  steps_of_loop(const llvm::Loop& loop, std::uint64_t row) : m_loop(loop), m_row(row) {}

  step of(const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !m_loop.contains(instruction)) return {};
    if (const auto found = m_found.find(instruction); found != m_found.end()) return found->second;
    // The value may depend on itself, so it counts as irregular while its step is computed.
    m_found[instruction] = irregular;
    const step result = of_instruction(*instruction);
    return m_found[instruction] = result;
  }

private:
  static constexpr step irregular{step::kind::irregular, 0};

  step of_instruction(const llvm::Instruction& instruction) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return of_phi(*phi);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      const bool same =
          load->hasMetadata(llvm::LLVMContext::MD_invariant_load) && of(load->getPointerOperand()).stays();
      return same ? step{} : irregular;
    }
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&instruction)) return of_address(*address);
    if (llvm::isa<llvm::CastInst, llvm::FreezeInst>(instruction)) return of(instruction.getOperand(0));
    const auto* right = instruction.getNumOperands() == 2
                            ? llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1))
                            : nullptr;
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Add: return of(instruction.getOperand(0)).plus(of(instruction.getOperand(1)));
      case llvm::Instruction::Sub: return of(instruction.getOperand(0)).plus(of(instruction.getOperand(1)).times(-1));
      case llvm::Instruction::Or:
        if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) break;
        return of(instruction.getOperand(0)).plus(of(instruction.getOperand(1)));
      case llvm::Instruction::Shl:
        if (right && right->getValue().ult(32))
          return of(instruction.getOperand(0)).times(1LL << right->getZExtValue());
        break;
      case llvm::Instruction::Mul: {
        const step left = of(instruction.getOperand(0)), other = of(instruction.getOperand(1));
        if (right && right->getValue().isSignedIntN(32)) return left.times(right->getSExtValue());
        if (left.stays() != other.stays()) return {std::max({left.what, other.what, step::kind::any_length}), 0};
        break;
      }
      default: break;
    }
    const bool same = !instruction.mayReadOrWriteMemory() &&
                      llvm::all_of(instruction.operands(), [&](const llvm::Use& each) { return of(each).stays(); });
    return same ? step{} : irregular;
  }

  step of_phi(const llvm::PHINode& phi) {
    if (phi.getParent() != m_loop.getHeader()) return irregular;
    const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(m_loop.getLoopLatch()));
    if (!next || next->getOpcode() != llvm::Instruction::Add) return irregular;
    const llvm::Value* by = next->getOperand(next->getOperand(0) == &phi ? 1 : 0);
    if (next->getOperand(0) != &phi && next->getOperand(1) != &phi) return irregular;
    if (!of(by).stays()) return irregular;
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(usual_value(by));
    // If the step is the length of the group's row, the next row follows directly.
    if (!known && is_row_length(by)) return {step::kind::constant, static_cast<std::int64_t>(m_row)};
    if (!known) return {step::kind::any_length, 0};
    return known->getValue().isSignedIntN(32) ? step{step::kind::constant, known->getSExtValue()} : irregular;
  }

  step of_address(const llvm::GEPOperator& address) {
    const llvm::DataLayout& layout = m_loop.getHeader()->getModule()->getDataLayout();
    variable_offsets variable;
    llvm::APInt constant(64, 0);
    step all = of(address.getPointerOperand());
    if (!address.collectOffset(layout, 64, variable, constant)) return irregular;
    for (const auto& [index, scale] : variable) {
      if (!scale.isSignedIntN(32)) return irregular;
      all = all.plus(of(index).times(scale.getSExtValue()));
    }
    return all;
  }

  const llvm::Loop& m_loop;
  std::uint64_t m_row;
  llvm::DenseMap<const llvm::Instruction*, step> m_found;
};


enum class direction : std::uint8_t { across, along, elsewhere };

direction direction_of(const llvm::Instruction& instruction, const llvm::Value& place, step moved,
                       const row_facts& row) {
  const llvm::Function& function = *instruction.getFunction();
  const lane_shape shape = row.lanes.of(&place);
  if (shape.is_uniform() || moved.what == step::kind::irregular ||
      is_local_memory(&place, function.getArg(parameter_local_base)))
    return direction::elsewhere;
  llvm::Type* type = llvm::getLoadStoreType(&instruction);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const std::uint64_t bytes = row.items * layout.getTypeStoreSize(type).getFixedValue();
  const bool are_neighbours = is_consecutive(shape, type, layout);
  const bool is_near = moved.what == step::kind::constant && std::abs(moved.length) < row.far_apart;
  const bool follows = row.follow_each_other && are_neighbours && bytes >= shortest_following_row && is_near &&
                       moved.length == static_cast<std::int64_t>(bytes);
  if (is_near && !follows) return moved.stays() ? direction::elsewhere : direction::along;
  const bool is_row = are_neighbours && (follows || bytes >= shortest_row);
  return is_row && is_of_one_row(function, sources_of(&place)) ? direction::across : direction::elsewhere;
}

}  // namespace

bool is_row_length(const llvm::Value* value) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(usual_value(value));
  return argument && argument->getArgNo() == parameter_local_range + 2;
}

bool may_go_across_rows(llvm::Function& work_item) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back_edges;
  llvm::FindFunctionBackedges(work_item, back_edges);
  if (back_edges.empty()) return false;
  return llvm::any_of(llvm::instructions(work_item), [&](const llvm::Instruction& instruction) {
    const llvm::Value* place = accessed_place(instruction);
    if (!place) return false;
    const sources found = sources_of(place);
    return found.lane_id && found.phi && is_of_one_row(work_item, found);
  });
}

bool goes_across_rows(const llvm::Loop& loop, const row_facts& row) {
  bool any = false;
  steps_of_loop steps(loop, row.items);
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (!has_no_order(instruction, row)) return false;
      const llvm::Value* place = accessed_place(instruction);
      if (!place) continue;
      switch (direction_of(instruction, *place, steps.of(place), row)) {
        case direction::across: any = true; break;
        case direction::along: return false;
        case direction::elsewhere: break;
      }
    }
  }
  return any;
}

bool has_effects(const llvm::BasicBlock& block) {
  return llvm::any_of(block, [](const llvm::Instruction& each) { return each.mayHaveSideEffects(); });
}

}  // namespace sinter::passes
