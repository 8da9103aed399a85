#pragma once
/// LLVM's SPIR-V target ends the process, or writes a module that is not valid, for what it does not know.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// A sentence that names the first thing that it is not known to write.
llvm::Error check_writable(const llvm::Module& module);

}  // namespace sinter::jit::spirv
