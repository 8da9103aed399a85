#pragma once
/// Input: the bitcode module of an image. Output: only the kernel and the code it reaches, all but the kernel internal.

#include "llvm/IR/Module.h"

namespace sinter::passes {

/// Returns null when the module has no such function.
llvm::Function* select_kernel(llvm::Module& module, llvm::StringRef symbol);

} // namespace sinter::passes
