#include "lane_cost.hpp"

#include <algorithm>

#include "lane_promises.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "passes/llvm_versions.hpp"
#include "passes/machine/instruction_costs.hpp"
#include "passes/machine/vector_math.hpp"
#include "row_unrolling.hpp"

namespace sinter::passes {
namespace {

constexpr double gather_cost = 3, scatter_cost = 3;  ///< per lane
// The cost per lane if each lane stores to a cache line of its own. If the row length is a power of two, all these
// lines are in one set of the cache.
constexpr double row_scatter_cost = 20;
// In a masked gather, inactive lanes cost as much as active lanes.
constexpr double masked_gather_cost = 3;  ///< additional cost per lane
constexpr double guard_cost = 3;                       ///< for each block that only some lanes run
// If only some lanes run a block, a single work-item is assumed to run the block with this probability.
constexpr double share_of_partial = 0.6;
constexpr double worth_it = 0.8;

double scalar_cost(const llvm::Instruction& instruction) {
  return is_lane_promise(instruction) ? 0 : cost_of(instruction).work;
}

/// Costs of the chosen actions, for all lanes.
class prices {
public:
  explicit prices(const lane_plan& plan) : m_plan(plan), m_lanes(plan.known.shapes.facts().lanes) {}

  double of(const llvm::Instruction& instruction) const {
    const double scalar = scalar_cost(instruction);
    const lane_step& step = m_plan.of(instruction);
    switch (step.action) {
      case lane_action::nothing:
      case lane_action::control:
      case lane_action::merge:
      case lane_action::forwarded:
      case lane_action::copies:
        return 0;
      case lane_action::once:
      case lane_action::strided:
      case lane_action::last_lane:
      case lane_action::exchange:
        return scalar;
      case lane_action::elementwise:
        return of_vectors(instruction, scalar);
      case lane_action::vector_call:
        return scalar * 1.5 * pieces(instruction.getType());
      case lane_action::reduce:
      case lane_action::per_lane:
        return one_by_one(scalar);
      case lane_action::consecutive:
        return of_neighbours(instruction);
      case lane_action::group:
        return 2 * pieces(llvm::getLoadStoreType(&instruction));
      case lane_action::piece:
        return of_piece(m_plan.piece_of(step), llvm::getLoadStoreType(&instruction));
      // An access by runs of lanes is no faster than a gather if the runs are short, or if each run is in a cache line
      // of its own.
      case lane_action::runs:
        return m_lanes * (llvm::isa<llvm::LoadInst>(instruction) ? gather_cost : scatter_cost);
      case lane_action::gather:
        return m_lanes * (gather_cost + (is_masked(instruction) ? masked_gather_cost : 0));
      case lane_action::scatter:
        return m_lanes * (m_plan.rows.goes_along(instruction) ? row_scatter_cost : scatter_cost);
    }
    return 0;
  }

private:
  double of_vectors(const llvm::Instruction& instruction, double scalar) const {
    if (instruction.isIntDivRem()) return m_lanes * (scalar + 1);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    // LLVM splits operations for which the machine has no instruction.
    if (call && !math_name(*call).empty()) return one_by_one(scalar);
    return scalar == 0 ? 0 : scalar * pieces(instruction.getOperand(0)->getType());
  }

  double of_neighbours(const llvm::Instruction& instruction) const {
    const bool copies = !llvm::getLoadStorePointerOperand(&instruction);
    return copies ? one_by_one(scalar_cost(instruction)) : pieces(llvm::getLoadStoreType(&instruction));
  }

  /// The cost of one access per lane, and of the transposition, which takes log2(length) steps.
  double of_piece(const access_pieces::piece& piece, llvm::Type* type) const {
    const unsigned length = piece.length();
    return static_cast<double>(m_lanes) / length + llvm::Log2_32(length) * pieces(type);
  }

  bool is_masked(const llvm::Instruction& instruction) const {
    return m_plan.known.shapes.mask(instruction.getParent()) == lane_mask::partial;
  }

  /// The cost of taking numbers out of vectors, working on them one by one, and putting them back.
  double one_by_one(double scalar) const { return m_lanes * (scalar + 2); }

  double pieces(llvm::Type* type) const {
    return registers_of(*type->getScalarType(), m_lanes, m_plan.machine.vector_bits);
  }

  const lane_plan& m_plan;
  unsigned m_lanes;
};

/// Whether the instruction stores numbers that do not lie side by side.
bool scatters(const llvm::Instruction& instruction, lane_action action) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  const bool apart = action == lane_action::scatter || action == lane_action::runs || action == lane_action::per_lane;
  return store && apart && !store->getValueOperand()->getType()->isVectorTy();
}

/// Whether the instruction loads from unrelated addresses, which LLVM would gather element by element.
bool is_from_anywhere(const llvm::Instruction& instruction, lane_action action, const lane_shapes& shapes) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && (action == lane_action::gather || action == lane_action::piece) &&
         shapes.of(load->getPointerOperand()).is_varying();
}

} // namespace

unsigned fitting_lanes(const llvm::Function& function, const lane_shapes& shapes, unsigned vector_bits) {
  unsigned bits = 32;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
    const llvm::Type* type = address ? llvm::getLoadStoreType(&instruction) : instruction.getType();
    const bool data = type->isFloatingPointTy() || (type->isIntegerTy() && address);
    if (!data || shapes.of(address ? address : &instruction).is_uniform()) continue;
    bits = std::max(bits, type->getScalarSizeInBits());
  }
  // Copies of structures may be loads of 24 or 48 bits, but the vectorizer needs powers of two.
  return std::clamp(vector_bits / std::min(static_cast<unsigned>(llvm::PowerOf2Ceil(bits)), 64u), 2u, 16u);
}

bool lane_costs::wide_pays(unsigned lanes) const { return wide < worth_it * scalar * lanes; }

lane_costs lane_costs_of(const lane_plan& plan, bool nd_range) {
  const lane_shapes& shapes = plan.known.shapes;
  const llvm::LoopInfo& loops = plan.known.loops;
  const prices prices(plan);
  lane_costs sum;
  bool special = nd_range;
  unsigned branches = 0;
  for (const llvm::BasicBlock& block : shapes.function()) {
    const llvm::Loop* loop = loops.getLoopFor(&block);
    const double weight = runs_of(block, loops) / (loop ? joined_iterations(*loop) : 1);
    const bool partial = shapes.mask(&block) == lane_mask::partial;
    const double alone = weight * (partial ? share_of_partial : 1) / plan.rows.gain_alone(block);
    if (partial) sum.wide += weight * guard_cost;
    special |= loops.getLoopDepth(&block) != 0;
    branches += block.getTerminator()->getNumSuccessors() > 1;
    for (const llvm::Instruction& instruction : block) {
      sum.scalar += alone * scalar_cost(instruction);
      sum.wide += weight * prices.of(instruction);
      special |= is_from_anywhere(instruction, plan.of(instruction).action, shapes);
      sum.scatters |= scatters(instruction, plan.of(instruction).action);
      // LLVM makes no vectors of loops that may end in the middle, for example by a failed assertion.
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        special |= !math_name(*call).empty() || call->doesNotReturn();
    }
  }
  // LLVM's loop vectorizer replaces all branches by masks, even branches that all lanes take alike.
  sum.plain = !special && branches < 2;
  return sum;
}

std::string why_scalar(const lane_costs& costs, unsigned lanes) {
  if (costs.plain) return "left to the loop vectorizer";
  if (costs.wide_pays(lanes)) return {};
  return "vectors would cost " + std::to_string(static_cast<long>(costs.wide)) + " for " + std::to_string(lanes) +
         " work-items, one alone " + std::to_string(static_cast<long>(costs.scalar));
}

} // namespace sinter::passes
