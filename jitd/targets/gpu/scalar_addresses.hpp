#pragma once
/// AMD's GPUs compute numbers that all work-items of a wave have alike in a unit of their own, and accesses add such an
/// address to 32 bits of each work-item. LLVM keeps addresses as the program computes them: `a[(y + 1) * n + x]` is
/// an address of 64 bits for each work-item and access, though it lies `n` floats behind `a[y * n + x]`.

#include "dialect.hpp"
#include "llvm/IR/Dominators.h"

namespace sinter::jit::gpu {

/// Accesses to global memory outside loops get addresses whose alike parts are added first. The rest is computed once
/// for all accesses that have it in common.
void add_scalar_parts_first(const dialect& words, llvm::Function& kernel, llvm::DominatorTree& dominators);

}  // namespace sinter::jit::gpu
