#include "native_functions.hpp"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace sinter::jit::gpu {

llvm::Value* relaxed(const native_functions& native, llvm::IRBuilder<>& builder, llvm::Instruction& exact,
                     float accuracy) {
  using namespace llvm::PatternMatch;
  constexpr float any_accuracy = 8192;
  if (!exact.getType()->isFloatTy() || accuracy < 2) return nullptr;
  const auto one = [&](native_function what, llvm::Value* x) { return native.of(builder, what, x); };
  const auto scaled = [&](llvm::Value* x, double by) {
    return builder.CreateFMul(x, llvm::ConstantFP::get(x->getType(), by));
  };
  llvm::Value* x = nullptr;
  if (match(&exact, m_FDiv(m_FPOne(), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value(x))))) {
    return one(native_function::rsqrt, x);
  }
  if (accuracy < any_accuracy) return nullptr;
  x = exact.getOperand(0);
  if (exact.getOpcode() == llvm::Instruction::FDiv) return native.quotient(builder, x, exact.getOperand(1));
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&exact);
  switch (call ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic) {
    case llvm::Intrinsic::sin:
      return one(native_function::sin, x);
    case llvm::Intrinsic::cos:
      return one(native_function::cos, x);
    case llvm::Intrinsic::tan:
      return native.quotient(builder, one(native_function::sin, x), one(native_function::cos, x));
    case llvm::Intrinsic::exp2:
      return one(native_function::exp2, x);
    case llvm::Intrinsic::exp:
      return one(native_function::exp2, scaled(x, llvm::numbers::log2e));
    case llvm::Intrinsic::log2:
      return one(native_function::log2, x);
    case llvm::Intrinsic::log:
      return scaled(one(native_function::log2, x), llvm::numbers::ln2);
    case llvm::Intrinsic::log10:
      return scaled(one(native_function::log2, x), llvm::numbers::ln2 / llvm::numbers::ln10);
    case llvm::Intrinsic::sqrt:
      return one(native_function::sqrt, x);
    default:
      return nullptr;
  }
}

}  // namespace sinter::jit::gpu
