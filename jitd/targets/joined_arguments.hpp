#pragma once
/// Joins the argument blocks of a fused kernel. A fused kernel reads its members' blocks through an array of pointers,
/// but GPUs get one block.

#include <cstdint>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Makes the parameter of `fused` point to the blocks themselves. The block of member i begins at `places[i]`.
llvm::Error join_arguments(llvm::Function& fused, const std::vector<std::uint64_t>& places);

}  // namespace sinter::jit
