#pragma once
/// Matrices of sub-groups (abi/matrix_abi.hpp) as fragments of tensor cores: each call is one instruction of a warp
/// (wmma.load, wmma.mma, wmma.store).

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::nvptx {

/// No call asks for a matrix any more. If the GPU lacks a matrix, the error names those it has: `generation` is 90 for
/// sm_90.
llvm::Error lower_matrices(llvm::Function& kernel, unsigned generation);

/// Loads and stores of matrices say which memory is meant, where casts show it.
void place_matrices(llvm::Function& entry);

}  // namespace sinter::jit::nvptx
