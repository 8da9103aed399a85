#include "code_budget.hpp"

#include <algorithm>

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::passes {
namespace {

std::uint64_t registers_of(const llvm::Type* type, const llvm::DataLayout& layout, unsigned vector_bits) {
  if (!llvm::isa<llvm::FixedVectorType>(type)) return 1;
  const std::uint64_t bits = layout.getTypeSizeInBits(const_cast<llvm::Type*>(type)).getFixedValue();
  return std::max<std::uint64_t>(1, (bits + vector_bits - 1) / vector_bits);
}

std::uint64_t size_of(const llvm::Instruction& instruction, const llvm::DataLayout& layout, unsigned vector_bits) {
  if (instruction.isDebugOrPseudoInst()) return 0;
  std::uint64_t size = registers_of(instruction.getType(), layout, vector_bits);
  for (const llvm::Use& operand : instruction.operands()) {
    size = std::max(size, registers_of(operand->getType(), layout, vector_bits));
  }
  // CPUs have no integer division of vectors, so a division counts once for each lane.
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (vector && llvm::Instruction::isIntDivRem(instruction.getOpcode())) return vector->getNumElements();
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    if (id == llvm::Intrinsic::masked_gather) {
      size = llvm::cast<llvm::FixedVectorType>(call->getType())->getNumElements();
    } else if (id == llvm::Intrinsic::masked_scatter) {
      size = llvm::cast<llvm::FixedVectorType>(call->getArgOperand(0)->getType())->getNumElements();
    }
  }
  return size;
}

} // namespace

std::uint64_t code_size(const llvm::Function& function, unsigned vector_bits) {
  const llvm::DataLayout& layout = function.getDataLayout();
  std::uint64_t size = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    size += size_of(instruction, layout, vector_bits);
  return size;
}

} // namespace sinter::passes
