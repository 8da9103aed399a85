#pragma once
/// Turns matrices of sub-groups (abi/matrix_abi.hpp) into fragments for tensor cores. Each call becomes one instruction
/// of a warp (wmma.load, wmma.mma, wmma.store).

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::nvptx {

/// Replaces all calls for matrices. If the GPU does not support a matrix, the error names the matrices that the GPU
/// supports. `generation` is 90 for sm_90.
llvm::Error lower_matrices(llvm::Function& kernel, unsigned generation);

/// Writes the address space into the loads and stores of matrices, if casts show which address space it is.
void place_matrices(llvm::Function& entry);

}  // namespace sinter::jit::nvptx
