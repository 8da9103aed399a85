#pragma once
/// Rewrites code for which LLVM's SPIR-V target makes wrong code or ends the process, or which drivers refuse
/// (docs/llvm_defects.md).

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Input: optimised code. Output: code that the target is known to translate, with mathematics as OpenCL's functions.
/// Refuses the rest with a sentence.
llvm::Error legalise(llvm::Module& module);

}  // namespace sinter::jit::spirv
