#pragma once
/// Replaces some instructions and intrinsics with plain instructions: those that LLVM's SPIR-V target gets wrong, and
/// those for which LLVM's SPIR-V target makes new functions.

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Replaces llvm.memmove and llvm.memset with loops: SPIR-V lacks copies that may overlap, and for fills, LLVM would
/// make new functions.
void expand_moves(llvm::Function& function);
void lower_instructions(llvm::Function& function);

}  // namespace sinter::jit::spirv
