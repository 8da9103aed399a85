#pragma once
/// Corrects results of libclc 22 and ocml 5.2 that are wrong for some arguments: zeros, infinities, NaN, and numbers
/// near the ends of a type's range. tests/e2e/math_specials compares all functions with the host's.

#include "llvm/IR/IRBuilder.h"
#include "targets/math_calls.hpp"

namespace sinter::jit {

/// define_gamma() must have run.
void correct_libclc(math_dialect& dialect);
void correct_ocml(math_dialect& dialect);

/// Gives the device ABI's tgamma a body, because the errors of libclc's function exceed SYCL's limit of 16 units in the
/// last place: 52 for floats, and more than 16 for most doubles above 8.
void define_gamma(llvm::Module& module);

/// Computes ldexp, because libclc's function never returns subnormal numbers on NVIDIA's GPUs, and mistakes a NaN for
/// infinity.
llvm::Value* scaled_by_power(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* exponent);

/// The result of ilogb for a NaN has to be the host's FP_ILOGBNAN.
llvm::Value* corrected_ilogb(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* result);

}  // namespace sinter::jit
