#include "result_latency.hpp"

#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "passes/machine/instruction_costs.hpp"

namespace sinter::passes {
namespace {

// The number of AVX-512's registers, and how many of them temporaries need.
constexpr std::size_t registers = 32, temporaries = 4;
// The time per iteration is estimated after several iterations, because a value may depend on values of earlier
// iterations.
constexpr int first_iterations = 4, more_iterations = 8;
// The gain has to exceed this factor, because the more lanes a vector has, the longer its lanes wait for the last lane
// to finish.
constexpr double worthwhile = 1.15;

bool is_data(const llvm::Type* type) { return type->isVectorTy() && type->getScalarSizeInBits() > 1; }

/// Returns the cost of an instruction on vectors. Addresses, masks and values that all lanes share are computed in
/// parallel to the vectors, and cost nothing.
instruction_cost cost_of_vectors(const llvm::Instruction& instruction, unsigned vector_bits) {
  const bool compares = llvm::isa<llvm::CmpInst>(instruction);
  const llvm::Type* type = compares ? instruction.getOperand(0)->getType() : instruction.getType();
  if (!is_data(type) || llvm::isa<llvm::InsertElementInst, llvm::ShuffleVectorInst>(instruction)) return {};
  // A negation costs nothing, because it is part of the instruction that uses its result.
  if (instruction.getOpcode() == llvm::Instruction::FNeg) return {};
  const instruction_cost cost = cost_of(instruction);
  return {cost.work * registers_of(*type, 1, vector_bits), cost.latency};
}

/// Whether the loop is a single block without memory accesses, and runs while any lane continues.
bool is_left_one_by_one(const llvm::Loop& loop) {
  using namespace llvm::PatternMatch;
  if (loop.getNumBlocks() != 1) return false;
  const llvm::BasicBlock& block = *loop.getHeader();
  llvm::Value* goes_on = nullptr;
  if (!match(block.getTerminator(), m_Br(m_Value(goes_on), m_BasicBlock(), m_BasicBlock()))) return false;
  if (!match(goes_on, m_Intrinsic<llvm::Intrinsic::vector_reduce_or>())) return false;
  return llvm::none_of(block, [](const llvm::Instruction& each) { return each.mayReadOrWriteMemory(); });
}

/// Returns the time at which `iterations` iterations have computed all values that the next iteration needs.
double time_of(const llvm::BasicBlock& block, unsigned vector_bits, int iterations) {
  llvm::DenseMap<const llvm::Value*, double> times;
  double last = 0;
  for (int i = 0; i < iterations; ++i) {
    for (const llvm::Instruction& instruction : block) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      double start = 0;
      for (const llvm::Value* operand : instruction.operands()) start = std::max(start, times.lookup(operand));
      times[&instruction] = start + cost_of_vectors(instruction, vector_bits).latency;
    }
    llvm::SmallVector<double, 8> next;
    for (const llvm::PHINode& phi : block.phis()) next.push_back(times.lookup(phi.getIncomingValueForBlock(&block)));
    for (auto [phi, time] : llvm::zip(block.phis(), next)) {
      times[&phi] = time;
      last = std::max(last, time);
    }
  }
  return last;
}

bool fits_twice(const llvm::BasicBlock& block) {
  llvm::SmallPtrSet<const llvm::Value*, 16> kept;
  for (const llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction) && is_data(instruction.getType())) kept.insert(&instruction);
    for (const llvm::Value* operand : instruction.operands()) {
      const auto* outside = llvm::dyn_cast<llvm::Instruction>(operand);
      if (outside && outside->getParent() != &block && is_data(outside->getType())) kept.insert(outside);
    }
  }
  return 2 * (kept.size() + temporaries) <= registers;
}

} // namespace

bool waits_for_results(llvm::Function& wide, unsigned vector_bits) {
  const llvm::DominatorTree tree(wide);
  const llvm::LoopInfo loops(tree);
  const llvm::Loop* innermost = nullptr;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (innermost && loop->getLoopDepth() == innermost->getLoopDepth()) return false;
    if (!innermost || loop->getLoopDepth() > innermost->getLoopDepth()) innermost = loop;
  }
  if (!innermost || !is_left_one_by_one(*innermost)) return false;
  const llvm::BasicBlock& block = *innermost->getHeader();
  double work = 0;
  for (const llvm::Instruction& instruction : block) work += cost_of_vectors(instruction, vector_bits).work;
  const double latency =
      (time_of(block, vector_bits, more_iterations) - time_of(block, vector_bits, first_iterations)) /
      (more_iterations - first_iterations);
  return latency > worthwhile * work && fits_twice(block);
}

} // namespace sinter::passes
