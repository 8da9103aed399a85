#pragma once
/// AMD's GPUs have a scalar unit for numbers that are equal in all work-items of a wave. The GPUs' memory instructions
/// can add an address from this unit and a 32-bit offset of each work-item. LLVM does not use the scalar unit for
/// addresses. For `a[y * n + x]` and `a[(y + 1) * n + x]`, LLVM computes two 64-bit addresses in each work-item,
/// although these addresses always differ by `n` floats.

#include "dialect.hpp"
#include "llvm/IR/Dominators.h"

namespace sinter::jit::gpu {

/// Rewrites addresses of accesses to global memory outside of loops. The parts of an address that are equal in all
/// work-items of the wave are added first. If several accesses have the same remaining parts, these parts are computed
/// once.
void add_scalar_parts_first(const dialect& words, llvm::Function& kernel, llvm::DominatorTree& dominators);

}  // namespace sinter::jit::gpu
