#pragma once
/// Adds checks to code for the CPU: before each access of memory, the code asks the process's address sanitizer. This
/// includes vectors, fused kernels and arrays on the stack.
///
/// Input: a module that is ready for the code generator. Output: code in which symbols of the sanitizer's runtime are
/// undefined.

#include "llvm/IR/Module.h"

namespace sinter::jit {

void sanitize_accesses(llvm::Module& module);

}  // namespace sinter::jit
