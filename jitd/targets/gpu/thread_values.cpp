#include "thread_values.hpp"

#include "llvm/IR/ConstantFold.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::jit::gpu {

thread_values::thread_values(const dialect& words, llvm::Function& function, const abi::local_range& block)
    : m_dialect(words),
      m_dominators(function),
      m_block(block),
      m_count(static_cast<unsigned>(block[0] * block[1] * block[2])) {
  for (unsigned i = 0; i < m_count; ++i) m_all.set(i);
}

std::optional<std::vector<std::uint64_t>> thread_values::read_register(const llvm::Instruction& call) const {
  const unsigned dimension = m_dialect.thread_dimension(call);
  if (dimension > 2) return std::nullopt;
  const std::uint64_t size = m_block[dimension];
  std::uint64_t step = 1;
  for (unsigned d = dimension + 1; d < 3; ++d) step *= m_block[d];
  std::vector<std::uint64_t> result(m_count);
  for (unsigned i = 0; i < m_count; ++i) result[i] = i / step % size;
  return result;
}

std::optional<std::vector<std::uint64_t>> thread_values::compute(llvm::Value* value) {
  const auto* type = llvm::dyn_cast<llvm::IntegerType>(value->getType());
  if (!type || type->getBitWidth() > 64) return std::nullopt;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    return std::vector<std::uint64_t>(m_count, number->getZExtValue());
  }
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return std::nullopt;
  if (llvm::isa<llvm::IntrinsicInst>(instruction)) return read_register(*instruction);
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::SelectInst>(instruction)) {
    return std::nullopt;
  }
  llvm::SmallVector<const std::vector<std::uint64_t>*, 3> operands;
  for (llvm::Value* each : instruction->operands()) {
    operands.push_back(of(each));
    if (!operands.back()) return std::nullopt;
  }
  std::vector<std::uint64_t> result(m_count);
  for (unsigned i = 0; i < m_count; ++i) {
    llvm::SmallVector<llvm::Constant*, 3> known;
    for (auto [numbers, operand] : llvm::zip(operands, instruction->operands())) {
      known.push_back(llvm::ConstantInt::get(operand->getType(), (*numbers)[i]));
    }
    llvm::Constant* folded = nullptr;
    if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(instruction)) {
      folded = llvm::ConstantFoldCompareInstruction(comparison->getPredicate(), known[0], known[1]);
    } else if (llvm::isa<llvm::SelectInst>(instruction)) {
      folded = known[0]->isOneValue() ? known[1] : known[2];
    } else if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(instruction)) {
      folded = llvm::ConstantFoldCastInstruction(cast->getOpcode(), known[0], cast->getType());
    } else {
      folded = llvm::ConstantFoldBinaryInstruction(instruction->getOpcode(), known[0], known[1]);
    }
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(folded);
    if (!number) return std::nullopt;
    result[i] = number->getZExtValue();
  }
  return result;
}

const std::vector<std::uint64_t>* thread_values::of(llvm::Value* value) {
  // The analysis does not follow phis, so no value that it follows depends on itself.
  auto found = m_values.find(value);
  if (found == m_values.end()) {
    std::optional<std::vector<std::uint64_t>> computed = compute(value);
    found = m_values.emplace(value, std::move(computed)).first;
  }
  return found->second ? &*found->second : nullptr;
}

const thread_set& thread_values::reaching(const llvm::BasicBlock* block) {
  if (const auto found = m_reaching.find(block); found != m_reaching.end()) return found->second;
  const auto* node = m_dominators.getNode(block);
  if (!node || !node->getIDom()) return m_reaching.emplace(block, m_all).first->second;
  const llvm::BasicBlock* before = node->getIDom()->getBlock();
  thread_set result = reaching(before);
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
  if (branch && branch->isConditional()) {
    const bool if_true = branch->getSuccessor(0) == block;
    const std::vector<std::uint64_t>* condition =
        block->getSinglePredecessor() == before && branch->getSuccessor(0) != branch->getSuccessor(1)
            ? of(branch->getCondition())
            : nullptr;
    for (unsigned i = 0; condition && i < m_count; ++i) {
      if (((*condition)[i] != 0) != if_true) result.reset(i);
    }
  }
  return m_reaching.emplace(block, result).first->second;
}

}  // namespace sinter::jit::gpu
