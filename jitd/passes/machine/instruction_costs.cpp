#include "instruction_costs.hpp"

#include <algorithm>

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "machine_calls.hpp"
#include "vector_math.hpp"

namespace sinter::passes {
namespace {

constexpr double loop_iterations = 8;

constexpr instruction_cost plain{1, 1}, floating{1, 4}, division{5, 12}, root{5, 18}, integer_division{12, 12},
    call{20, 20};

bool is_free(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::BranchInst, llvm::ReturnInst, llvm::BitCastInst>(
             instruction) ||
         instruction.isLifetimeStartOrEnd() || llvm::isa<llvm::AssumeInst, llvm::NoAliasScopeDeclInst>(instruction);
}

instruction_cost cost_of_call(const llvm::CallInst& instruction) {
  if (machine_function_of(instruction)) return floating;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!intrinsic || !math_name(instruction).empty()) return call;
  if (intrinsic->getIntrinsicID() == llvm::Intrinsic::sqrt) return root;
  return instruction.getType()->isFPOrFPVectorTy() ? floating : plain;
}

}  // namespace

instruction_cost cost_of(const llvm::Instruction& instruction) {
  if (is_free(instruction)) return {};
  if (instruction.isIntDivRem()) return integer_division;
  if (instruction.getOpcode() == llvm::Instruction::FDiv) return division;
  if (const auto* called = llvm::dyn_cast<llvm::CallInst>(&instruction)) return cost_of_call(*called);
  if (instruction.isAtomic()) return call;
  const bool compares = llvm::isa<llvm::FCmpInst>(instruction);
  const bool moves = llvm::isa<llvm::SelectInst>(instruction) || instruction.mayReadOrWriteMemory();
  return compares || (instruction.getType()->isFPOrFPVectorTy() && !moves) ? floating : plain;
}

double registers_of(const llvm::Type& type, unsigned lanes, unsigned vector_bits) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  const double bits = static_cast<double>(std::max(type.getScalarSizeInBits(), 8u)) * lanes *
                      (vector ? vector->getNumElements() : 1);
  return std::max(1.0, bits / vector_bits);
}

bool is_splat(const llvm::Instruction& instruction) {
  const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
  return (shuffle && shuffle->isZeroEltSplat()) || llvm::isa<llvm::InsertElementInst>(instruction);
}

double runs_of(const llvm::BasicBlock& block, const llvm::LoopInfo& loops) {
  double runs = 1;
  for (unsigned depth = loops.getLoopDepth(&block); depth-- > 0;) runs *= loop_iterations;
  return runs;
}

}  // namespace sinter::passes
