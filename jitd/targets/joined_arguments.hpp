#pragma once
/// Fused kernels read the argument blocks of their members through an array of pointers; GPUs get one block.

#include <cstdint>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// The parameter of `fused` leads to the blocks themselves from now on: that of member i begins at `places[i]`.
llvm::Error join_arguments(llvm::Function& fused, const std::vector<std::uint64_t>& places);

}  // namespace sinter::jit
