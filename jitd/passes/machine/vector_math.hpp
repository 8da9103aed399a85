#pragma once
/// Vector versions of math functions: libmvec of glibc.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Belongs to every glibc of x86-64 since 2.22, and of 64-bit Arm since 2.38.
inline constexpr const char* vector_math_library = "libmvec.so.1";

/// Name of the function that a call of math stands for, as libm spells the double version; empty for other calls.
llvm::StringRef math_name(const llvm::CallInst& call);

/// Whether libmvec of x86-64 has `call` for vectors of at most `vector_bits`, as good as SYCL asks for.
bool has_vector_math(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits);

/// The call for `lanes` lanes with wide `arguments`; in pieces if vectors are shorter than that.
llvm::Value* emit_vector_math(llvm::IRBuilder<>& builder, const llvm::CallInst& call, unsigned lanes,
                              unsigned vector_bits, llvm::ArrayRef<llvm::Value*> arguments);

} // namespace sinter::passes
