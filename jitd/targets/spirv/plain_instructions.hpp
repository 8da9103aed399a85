#pragma once
/// Replaces instructions and intrinsics that LLVM's SPIR-V target gets wrong, or for which it makes new functions, by
/// plain instructions.

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Replaces llvm.memmove and llvm.memset with loops: SPIR-V lacks copies that may overlap, and for fills, LLVM would
/// make new functions.
void expand_moves(llvm::Function& function);
void lower_instructions(llvm::Function& function);

}  // namespace sinter::jit::spirv
