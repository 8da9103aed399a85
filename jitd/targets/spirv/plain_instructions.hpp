#pragma once
/// Replaces instructions and intrinsics that LLVM's SPIR-V target gets wrong, or for which it makes new functions, by
/// plain instructions.

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Expands copies that may overlap, which SPIR-V lacks, and fills, for which LLVM would make new functions.
void expand_moves(llvm::Function& function);
void lower_instructions(llvm::Function& function);

}  // namespace sinter::jit::spirv
