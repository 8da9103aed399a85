#pragma once
/// Fused kernels read their members' argument blocks through an array of pointers; GPUs get one block.

#include <cstdint>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// From now on, the parameter of `fused` leads to the blocks themselves: that of member i begins at `places[i]`.
llvm::Error join_arguments(llvm::Function& fused, const std::vector<std::uint64_t>& places);

}  // namespace sinter::jit
