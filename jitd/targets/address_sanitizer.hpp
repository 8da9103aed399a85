#pragma once
/// Makes code for the CPU ask the process's address sanitizer before each access of memory, in all forms of kernels:
/// vectors, fused kernels and arrays on the stack.
///
/// Input: a module that is ready for the code generator. Output: code in which symbols of the sanitizer's runtime are
/// undefined.

#include "llvm/IR/Module.h"

namespace sinter::jit {

void sanitize_accesses(llvm::Module& module);

}  // namespace sinter::jit
