#pragma once
/// AMD's GPUs have a scalar unit for numbers that are equal in all work-items of a wave. The GPUs' memory instructions
/// can add an address from this unit and a 32-bit offset of each work-item. LLVM does not make use of this: for `a[y *
/// n + x]` and `a[(y + 1) * n + x]`, it computes two 64-bit addresses in each work-item, although the two always differ
/// by `n` floats.

#include "dialect.hpp"
#include "llvm/IR/Dominators.h"

namespace sinter::jit::gpu {

/// Rewrites addresses of accesses to global memory outside of loops, so that parts that are equal in the wave are added
/// first. The rest is computed once for all accesses that share it.
void add_scalar_parts_first(const dialect& words, llvm::Function& kernel, llvm::DominatorTree& dominators);

}  // namespace sinter::jit::gpu
