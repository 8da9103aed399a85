#include "lane_cost.hpp"

#include <algorithm>

#include "lane_orders.hpp"
#include "lane_promises.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "passes/machine/root_estimates.hpp"
#include "passes/machine/vector_math.hpp"
#include "wide_instructions.hpp"

namespace sinter::passes {
namespace {

constexpr double call_cost = 20, integer_division_cost = 12, division_cost = 5;
constexpr double gather_cost = 3, scatter_cost = 3;     ///< per lane
constexpr double loop_iterations = 8;                  ///< nobody knows
constexpr double guard_cost = 3;                       ///< of a block that only some lanes run
// Of the blocks that only some lanes run, one work-item alone would run this share.
constexpr double share_of_partial = 0.6;
constexpr double worth_it = 0.8;

bool is_free(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::BranchInst, llvm::ReturnInst, llvm::BitCastInst>(instruction) ||
         instruction.isLifetimeStartOrEnd() || llvm::isa<llvm::AssumeInst, llvm::NoAliasScopeDeclInst>(instruction) ||
         is_lane_promise(instruction);
}

double scalar_cost(const llvm::Instruction& instruction) {
  if (is_free(instruction)) return 0;
  if (instruction.isIntDivRem()) return integer_division_cost;
  if (instruction.getOpcode() == llvm::Instruction::FDiv) return division_cost;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    if (is_root_estimate(*call)) return 1;
    if (!math_name(*call).empty() || !llvm::isa<llvm::IntrinsicInst>(call)) return call_cost;
    return call->getIntrinsicID() == llvm::Intrinsic::sqrt ? division_cost : 1;
  }
  return instruction.isAtomic() ? call_cost : 1;
}

class estimate {
public:
  estimate(const lane_shapes& shapes, const load_pieces& pieces, unsigned vector_bits, const llvm::DataLayout& layout)
      : m_shapes(shapes),
        m_pieces(pieces),
        m_orders(shapes.function(), shapes),
        m_lanes(shapes.facts().lanes),
        m_vector_bits(vector_bits),
        m_layout(layout) {}

  /// For all lanes.
  double wide_cost(const llvm::Instruction& instruction) const {
    const double scalar = scalar_cost(instruction);
    if (scalar == 0) return 0;
    if (const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction)) return access_cost(instruction, address);
    if (!instruction.getType()->isVoidTy() && !m_shapes.of(&instruction).is_varying()) return scalar;
    if (instruction.isIntDivRem()) return m_lanes * (scalar + 1);
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      if (has_vector_math(*call, m_lanes, m_vector_bits)) return call_cost * 1.5 * pieces(instruction.getType());
      if (!math_name(*call).empty() || !has_wide_call(*call, m_lanes, m_vector_bits)) return m_lanes * (scalar + 2);
    }
    if (instruction.isAtomic()) return m_lanes * (scalar + 2);
    return scalar * pieces(instruction.getOperand(0)->getType());
  }

  bool scatters(const llvm::Instruction& instruction) const {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || store->getValueOperand()->getType()->isVectorTy()) return false;
    const lane_shape shape = m_shapes.of(store->getPointerOperand());
    return !shape.is_uniform() && !is_consecutive(shape, store->getValueOperand()->getType(), m_layout) &&
           !m_orders.of(instruction);
  }

private:
  double access_cost(const llvm::Instruction& instruction, const llvm::Value* address) const {
    const lane_shape shape = m_shapes.of(address);
    llvm::Type* type = llvm::getLoadStoreType(&instruction);
    if (shape.is_uniform()) return 1;
    if (is_consecutive(shape, type, m_layout)) return pieces(type);
    if (m_orders.of(instruction)) return 2 * pieces(type);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      // A load for each lane, then as many steps as halve the piece.
      if (const load_pieces::piece* piece = m_pieces.of(*load)) {
        const auto length = static_cast<unsigned>(piece->loads.size());
        return static_cast<double>(m_lanes) / length + llvm::Log2_32(length) * pieces(type);
      }
    }
    return m_lanes * (llvm::isa<llvm::LoadInst>(instruction) ? gather_cost : scatter_cost);
  }

  double pieces(llvm::Type* type) const {
    const double bits = static_cast<double>(std::max(type->getScalarSizeInBits(), 8u)) * m_lanes;
    return std::max(1.0, bits / m_vector_bits);
  }

  const lane_shapes& m_shapes;
  const load_pieces& m_pieces;
  lane_orders m_orders;
  unsigned m_lanes, m_vector_bits;
  const llvm::DataLayout& m_layout;
};

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
  // Copies of structures are loads of 24 or 48 bits, too; all of the vectorizer counts on powers of two.
  return std::clamp(vector_bits / std::min(static_cast<unsigned>(llvm::PowerOf2Ceil(bits)), 64u), 2u, 16u);
}

bool lane_costs::wide_pays(unsigned lanes) const { return wide < worth_it * scalar * lanes; }

lane_costs lane_costs_of(const llvm::Function& function, const llvm::LoopInfo& loops, const lane_shapes& shapes,
                         const load_pieces& pieces, bool nd_range, unsigned vector_bits) {
  const estimate costs(shapes, pieces, vector_bits, function.getParent()->getDataLayout());
  lane_costs sum;
  bool special = nd_range;
  unsigned branches = 0;
  for (const llvm::BasicBlock& block : function) {
    double weight = 1;
    for (unsigned depth = loops.getLoopDepth(&block); depth-- > 0;) weight *= loop_iterations;
    const bool partial = shapes.mask(&block) == lane_mask::partial;
    if (partial) sum.wide += weight * guard_cost;
    special |= loops.getLoopDepth(&block) != 0;
    branches += block.getTerminator()->getNumSuccessors() > 1;
    for (const llvm::Instruction& instruction : block) {
      sum.scalar += weight * scalar_cost(instruction) * (partial ? share_of_partial : 1);
      sum.wide += weight * costs.wide_cost(instruction);
      sum.scatters |= costs.scatters(instruction);
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) special |= !math_name(*call).empty();
    }
  }
  // LLVM makes masks of all branches, those that all lanes take alike as well.
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
