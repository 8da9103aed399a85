#pragma once
/// x86 ends the process if a divisor is 0, or if a quotient does not fit (the lowest number divided by -1). These
/// functions change divisors so that this never happens. The code is in a header alone, because the plugin does not
/// link the JIT's passes.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

inline bool may_trap(const llvm::Instruction& instruction) {
  return instruction.isIntDivRem() && !llvm::isa<llvm::Constant>(instruction.getOperand(1));
}

inline bool is_signed_division(const llvm::Instruction& division) {
  return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

/// Returns the divisor, or 1 if the divisor is 0. With `overflows`, the function also returns 1 instead of -1: the
/// remainder is 0 for both divisors, and turn_quotient changes the quotient's sign.
inline llvm::Value* safe_divisor(llvm::IRBuilder<>& builder, llvm::Value* divisor, bool overflows) {
  llvm::Constant* one = llvm::ConstantInt::get(divisor->getType(), 1);
  // A divisor that is undefined could have different values in the test and in the division. After freeze, it has one
  // value.
  llvm::Value* frozen = builder.CreateFreeze(divisor);
  llvm::Value* is_bad = overflows ? builder.CreateICmpULE(builder.CreateAdd(frozen, one), one)
                                  : builder.CreateICmpEQ(frozen, llvm::Constant::getNullValue(divisor->getType()));
  return builder.CreateSelect(is_bad, one, frozen);
}

/// The code divides by 1 instead of -1. This function corrects the quotient of such a division.
inline void turn_quotient(llvm::BinaryOperator& division, llvm::Value* divisor) {
  if (division.getOpcode() != llvm::Instruction::SDiv) return;
  llvm::IRBuilder<> builder(division.getNextNode());
  llvm::Value* turns = builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(divisor->getType()));
  llvm::Value* quotient = builder.CreateSelect(turns, builder.CreateNeg(division.getOperand(0)), &division);
  division.replaceUsesWithIf(quotient, [&](const llvm::Use& use) { return use.getUser() != quotient; });
}

/// Keeps a division from trapping, whatever values its operands have.
inline void make_safe(llvm::BinaryOperator& division) {
  llvm::IRBuilder<> builder(&division);
  llvm::Value* divisor = division.getOperand(1);
  const bool overflows = is_signed_division(division);
  division.setOperand(1, safe_divisor(builder, divisor, overflows));
  if (overflows) turn_quotient(division, divisor);
}

}  // namespace sinter::passes
