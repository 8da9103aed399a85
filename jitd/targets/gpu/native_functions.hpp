#pragma once
/// Computes functions of floats by the GPU's own instructions, if the code says that less accuracy is enough (!fpmath).

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::jit::gpu {

enum class native_function { rsqrt, sqrt, sin, cos, exp2, log2 };

/// A GPU's instructions for functions of floats.
struct native_functions {
  llvm::Value* (*of)(llvm::IRBuilder<>& builder, native_function what, llvm::Value* x);
  llvm::Value* (*quotient)(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y);
};

/// Returns the replacement of a division or an intrinsic, or null if there is none (math_dialect::relaxed). 1 / sqrt(x)
/// becomes one instruction if 2 units in the last place are allowed (rsqrt of the headers, canonical_math.hpp); the
/// instruction's error is 1 to 1.5 units. The functions that SYCL's native functions call become one or two
/// instructions, too.
llvm::Value* relaxed(const native_functions& native, llvm::IRBuilder<>& builder, llvm::Instruction& exact,
                     float accuracy);

}  // namespace sinter::jit::gpu
