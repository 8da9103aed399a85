#pragma once
/// Turns matrices of sub-groups (abi/matrix_abi.hpp) into fragments for tensor cores. Each call becomes one instruction
/// of a warp (wmma.load, wmma.mma, wmma.store).

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::nvptx {

/// Replaces all calls for matrices. If the GPU lacks a matrix, the error names the matrices that it has. `generation`
/// is 90 for sm_90.
llvm::Error lower_matrices(llvm::Function& kernel, unsigned generation);

/// Makes loads and stores of matrices name their address space, if casts show it.
void place_matrices(llvm::Function& entry);

}  // namespace sinter::jit::nvptx
