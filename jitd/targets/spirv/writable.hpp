#pragma once
/// Refuses constructs that LLVM's SPIR-V target does not know. For such constructs, the target would end the process or
/// write an invalid module.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Returns an error that names the first construct that the target may not be able to write.
llvm::Error check_writable(const llvm::Module& module);

}  // namespace sinter::jit::spirv
