#pragma once
/// Unrolls innermost loops as far as NVIDIA's compiler does. With its limit for PTX, LLVM joins only two iterations of
/// n-body's loop, which hides too little latency. LLVM joins no iterations if it would need a division to find the
/// number of iterations.

#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Output: metadata asks LLVM to join eight iterations in loops whose number of iterations is a multiple of eight, and
/// to unroll loops of unknown length that read memory in equal steps. Loops of the second kind that LLVM can't unroll
/// are unrolled here (stride_loops.hpp). In some loops, the counter's first value depends on the work-item, but the
/// number of iterations does not. Such a loop gets a counter of iterations.
void unroll_loops(llvm::Function& kernel);

}  // namespace sinter::jit::gpu
