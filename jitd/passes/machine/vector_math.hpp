#pragma once
/// Calls vector versions of math functions: those of glibc's libmvec, or on 64-bit Arm those of SLEEF with the same
/// names.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Sets whether code for 64-bit Arm may call SLEEF (abi/vector_math.hpp).
void know_sleef(bool present);

/// The name of the math function that `call` represents, in libm's spelling for double. The name is empty for other
/// calls.
llvm::StringRef math_name(const llvm::CallInst& call);

/// Whether the library has `call` for vectors of at most `vector_bits`, as exact as SYCL demands.
bool has_vector_math(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits);

/// Emits the call for `lanes` lanes with vectors as `arguments`. If the machine's vectors are shorter, emits several
/// calls.
llvm::Value* emit_vector_math(llvm::IRBuilder<>& builder, const llvm::CallInst& call, unsigned lanes,
                              unsigned vector_bits, llvm::ArrayRef<llvm::Value*> arguments);

} // namespace sinter::passes
