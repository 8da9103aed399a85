#pragma once
/// Instructions and intrinsics that LLVM's SPIR-V target gets wrong, or for which it makes functions of its own, become
/// plain ones.

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Expands copies that may overlap, which SPIR-V lacks; and fills for which LLVM makes functions of its own.
void expand_moves(llvm::Function& function);
void lower_instructions(llvm::Function& function);

}  // namespace sinter::jit::spirv
