#pragma once
/// Rewrites code that drivers refuse, or for which LLVM's SPIR-V target makes wrong code or ends the process
/// (docs/llvm_defects.md).

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Input: optimised code. Output: code that the target is known to translate, with OpenCL's functions for mathematics.
/// Refuses other code by an error that names the reason.
llvm::Error legalise(llvm::Module& module);

}  // namespace sinter::jit::spirv
