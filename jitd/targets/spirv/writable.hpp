#pragma once
/// Refuses constructs that LLVM's SPIR-V target does not know: it would end the process, or write an invalid module.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// A sentence that names the first construct that may not be writable.
llvm::Error check_writable(const llvm::Module& module);

}  // namespace sinter::jit::spirv
