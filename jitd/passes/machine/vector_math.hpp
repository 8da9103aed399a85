#pragma once
/// Vector versions of math functions: glibc's libmvec, on 64-bit Arm SLEEF's library with the same names.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Whether code for 64-bit Arm may call SLEEF (abi/vector_math.hpp).
void know_sleef(bool present);

/// Name of the function that a call of math stands for, as libm spells the double version; empty for other calls.
llvm::StringRef math_name(const llvm::CallInst& call);

/// Whether the library has `call` for vectors of at most `vector_bits`, as good as SYCL asks for.
bool has_vector_math(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits);

/// The call for `lanes` lanes with wide `arguments`; in pieces if vectors are shorter than that.
llvm::Value* emit_vector_math(llvm::IRBuilder<>& builder, const llvm::CallInst& call, unsigned lanes,
                              unsigned vector_bits, llvm::ArrayRef<llvm::Value*> arguments);

} // namespace sinter::passes
