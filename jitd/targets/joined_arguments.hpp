#pragma once
/// Joins the argument blocks of a fused kernel. A fused kernel reads its members' blocks through an array of pointers,
/// but GPUs get one block.

#include <cstdint>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Changes `fused`: its parameter points to the argument blocks themselves, and no longer to an array of pointers. The
/// block of member i begins at `places[i]`.
llvm::Error join_arguments(llvm::Function& fused, const std::vector<std::uint64_t>& places);

}  // namespace sinter::jit
