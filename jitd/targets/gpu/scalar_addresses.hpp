#pragma once
/// AMD's GPUs have a scalar unit for numbers that are equal in all work-items of a wave. An access can add an address
/// that is equal in the wave and a 32-bit offset of each work-item. LLVM computes addresses as the program does: `a[(y
/// + 1) * n + x]` is an address of 64 bits for each work-item and access, although it is always `n` floats behind `a[y
/// * n + x]`.

#include "dialect.hpp"
#include "llvm/IR/Dominators.h"

namespace sinter::jit::gpu {

/// Rewrites addresses of accesses to global memory outside of loops, so that parts that are equal in the wave are added
/// first. The rest is computed once for all accesses that share it.
void add_scalar_parts_first(const dialect& words, llvm::Function& kernel, llvm::DominatorTree& dominators);

}  // namespace sinter::jit::gpu
