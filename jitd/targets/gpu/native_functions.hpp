#pragma once
/// Mathematics of floats by the GPU's own instructions, where code says that less accuracy will do (!fpmath).

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::jit::gpu {

enum class native_function { rsqrt, sqrt, sin, cos, exp2, log2 };

/// How a GPU computes them, of floats.
struct native_functions {
  llvm::Value* (*of)(llvm::IRBuilder<>& builder, native_function what, llvm::Value* x);
  llvm::Value* (*quotient)(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y);
};

/// The replacement of a division or an intrinsic; null: there is none (math_dialect::relaxed). 1 / sqrt(x) where 2
/// units in the last place are allowed (headers' rsqrt, canonical_math.hpp) is one instruction, of 1 to 1.5. All that
/// SYCL's native functions are made of has one, too, or two.
llvm::Value* relaxed(const native_functions& native, llvm::IRBuilder<>& builder, llvm::Instruction& exact,
                     float accuracy);

}  // namespace sinter::jit::gpu
