#pragma once
/// What LLVM's SPIR-V target makes wrong code of, ends the process for, or drivers refuse (docs/llvm_defects.md).

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Input: optimised code. Output: code that the target is known to translate, with mathematics as OpenCL's functions.
/// Refuses the rest with a sentence.
llvm::Error legalise(llvm::Module& module);

}  // namespace sinter::jit::spirv
