#pragma once
/// Builds code that computes functions of floats, instruction by instruction.

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace sinter::passes {

class float_numbers {
protected:
  float_numbers(llvm::CallInst& call, bool fused) : m_builder(&call), m_type(call.getType()), m_fused(fused) {}

  llvm::Constant* number(double value) { return llvm::ConstantFP::get(m_type, value); }

  llvm::Value* multiply_add(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    if (m_fused) return m_builder.CreateIntrinsic(llvm::Intrinsic::fma, {m_type}, {a, b, c});
    return m_builder.CreateFAdd(m_builder.CreateFMul(a, b), c);
  }

  /// Computes the sum of factors times powers of x, beginning with the zeroth power. The sum is computed in halves
  /// (Estrin's scheme), so that chains of dependent operations are short.
  llvm::Value* polynomial(llvm::ArrayRef<double> factors, llvm::Value* x) {
    llvm::SmallVector<llvm::Value*, 8> terms;
    for (double each : factors) terms.push_back(number(each));
    for (llvm::Value* power = x; terms.size() > 1; power = m_builder.CreateFMul(power, power)) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < terms.size(); i += 2) {
        terms[count++] = i + 1 < terms.size() ? multiply_add(terms[i + 1], power, terms[i]) : terms[i];
      }
      terms.resize(count);
    }
    return terms.front();
  }

  static constexpr unsigned mantissa_bits = 23;

  llvm::IRBuilder<> m_builder;
  llvm::Type* m_type;
  const bool m_fused;
};

}  // namespace sinter::passes
