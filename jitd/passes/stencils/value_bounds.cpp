#include "value_bounds.hpp"

#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace sinter::passes {
namespace {

// The maximum depth of expressions that are examined. Expressions that compute indices are less deep.
constexpr unsigned deepest_value = 32;

}  // namespace

llvm::ConstantRange value_bounds::of(llvm::Value& value, unsigned depth) {
  const unsigned bits = value.getType()->getIntegerBitWidth();
  if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value)) return llvm::ConstantRange(number->getValue());
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  const llvm::ConstantRange all = llvm::ConstantRange::getFull(bits);
  if (!instruction || depth > deepest_value) return all;
  // A value that depends on itself may be any number.
  const auto [known, inserted] = m_known.insert({&value, all});
  if (!inserted) return known->second;
  const llvm::ConstantRange found = of_operands(*instruction, depth + 1);
  m_known.insert_or_assign(&value, found);
  return found;
}

llvm::ConstantRange value_bounds::of_operands(llvm::Instruction& instruction, unsigned depth) {
  const llvm::ConstantRange all = llvm::ConstantRange::getFull(instruction.getType()->getIntegerBitWidth());
  const auto operand = [&](unsigned i) { return of(*instruction.getOperand(i), depth); };
  if (auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    const auto* exact = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(sum);
    unsigned kind = 0;
    if (exact && exact->hasNoSignedWrap()) kind |= llvm::OverflowingBinaryOperator::NoSignedWrap;
    if (exact && exact->hasNoUnsignedWrap()) kind |= llvm::OverflowingBinaryOperator::NoUnsignedWrap;
    return kind != 0 ? operand(0).overflowingBinaryOp(sum->getOpcode(), operand(1), kind)
                     : operand(0).binaryOp(sum->getOpcode(), operand(1));
  }
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    if (!cast->getSrcTy()->isIntegerTy()) return all;
    return operand(0).castOp(cast->getOpcode(), instruction.getType()->getIntegerBitWidth());
  }
  if (llvm::isa<llvm::SelectInst>(instruction)) return operand(1).unionWith(operand(2));
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    llvm::ConstantRange any = llvm::ConstantRange::getEmpty(all.getBitWidth());
    for (llvm::Value* each : phi->incoming_values()) any = any.unionWith(of(*each, depth));
    return any;
  }
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    if (const std::optional<llvm::ConstantRange> promised = call->getRange()) return *promised;
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    if (!intrinsic || !llvm::ConstantRange::isIntrinsicSupported(intrinsic->getIntrinsicID())) return all;
    llvm::SmallVector<llvm::ConstantRange, 2> operands;
    for (llvm::Value* each : call->args()) operands.push_back(of(*each, depth));
    return llvm::ConstantRange::intrinsic(intrinsic->getIntrinsicID(), operands);
  }
  return all;
}

}  // namespace sinter::passes
