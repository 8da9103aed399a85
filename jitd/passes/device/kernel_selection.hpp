#pragma once
/// Selects one kernel. Input: the bitcode module of an image. Output: only the kernel and the code that it reaches.
/// This code becomes internal.

#include "llvm/IR/Module.h"

namespace sinter::passes {

/// Returns null if the module has no such function.
llvm::Function* select_kernel(llvm::Module& module, llvm::StringRef symbol);

} // namespace sinter::passes
