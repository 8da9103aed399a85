#pragma once
/// Code for the CPU that asks the process's address sanitizer before each access of memory, whatever form it has:
/// vectors, fused kernels, arrays on the stack.
///
/// Input: a module that is ready for the code generator. Symbols of the sanitizer's runtime are undefined in the code.

#include "llvm/IR/Module.h"

namespace sinter::jit {

void sanitize_accesses(llvm::Module& module);

}  // namespace sinter::jit
