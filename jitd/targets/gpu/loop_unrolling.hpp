#pragma once
/// Unrolls innermost loops as far as NVIDIA's compiler does. LLVM's limit for PTX stops at two iterations of n-body's
/// loop, which hides too little latency, and at one if a division is needed for the number of iterations.

#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Output: loops whose number of iterations is a multiple of eight ask LLVM to join eight iterations at a time.
/// Loops of unknown length that read memory in steps ask LLVM to unroll them, or are unrolled here if LLVM can't
/// (stride_loops.hpp). Loops whose first value depends on the work-item, but whose length does not, count their
/// iterations.
void unroll_loops(llvm::Function& kernel);

}  // namespace sinter::jit::gpu
