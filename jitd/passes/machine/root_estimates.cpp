#include "root_estimates.hpp"

#include <utility>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include "machine_calls.hpp"

namespace sinter::passes {
namespace {

// Only quotients with this allowed error, in units in the last place, are replaced.
constexpr float allowed_error = 2;
// The error of an estimate is below 2^-12. Only special numbers give larger errors.
constexpr double most_left = 0x1p-10;

/// Returns x if the instruction is a quotient 1 / sqrt(x) with this allowed error, otherwise null.
llvm::Value* radicand_of(llvm::Instruction& instruction) {
  using namespace llvm::PatternMatch;
  llvm::Value* radicand = nullptr;
  if (!instruction.getType()->isFloatTy() ||
      !match(&instruction, m_FDiv(m_FPOne(), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value(radicand))))) {
    return nullptr;
  }
  return llvm::cast<llvm::FPMathOperator>(instruction).getFPAccuracy() >= allowed_error ? radicand : nullptr;
}

/// For zeros and infinities, the estimate is exact, but the computed error is NaN. The step then uses most_left instead
/// of the error, which leaves the estimate unchanged.
llvm::Value* reciprocal_root(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* type = value->getType();
  auto number = [&](double each) { return llvm::ConstantFP::get(type, each); };
  auto fma = [&](llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
  };
  llvm::Value* estimate = call_machine(builder, machine_function::root_estimate, value);
  llvm::Value* left = fma(builder.CreateFNeg(builder.CreateFMul(value, estimate)), estimate, number(1));
  // LLVM turns the comparison and select into the machine's minimum instruction.
  left = builder.CreateSelect(builder.CreateFCmpOLT(left, number(most_left)), left, number(most_left));
  return fma(builder.CreateFMul(estimate, number(0.5)), left, estimate);
}

} // namespace

void estimate_reciprocal_roots(llvm::Function& function) {
  llvm::SmallVector<std::pair<llvm::Instruction*, llvm::Value*>, 8> quotients;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::Value* radicand = radicand_of(instruction)) quotients.emplace_back(&instruction, radicand);
  }
  for (auto [quotient, radicand] : quotients) {
    llvm::IRBuilder<> builder(quotient);
    quotient->replaceAllUsesWith(reciprocal_root(builder, radicand));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(quotient);
  }
}

} // namespace sinter::passes
