#pragma once
/// Matrices of sub-groups (abi/matrix_abi.hpp) as fragments of tensor cores: each call is one instruction of a warp
/// (wmma.load, wmma.mma, wmma.store).

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::nvptx {

/// No call asks for a matrix any more. An error names what the GPU has, where it lacks one: `generation` is 90 of
/// sm_90.
llvm::Error lower_matrices(llvm::Function& kernel, unsigned generation);

/// Loads and stores of matrices say which memory is meant, where casts show it.
void place_matrices(llvm::Function& entry);

}  // namespace sinter::jit::nvptx
