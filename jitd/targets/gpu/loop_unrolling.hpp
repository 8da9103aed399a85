#pragma once
/// Unrolls innermost loops as far as NVIDIA's compiler does: LLVM's bound for PTX stops at two iterations of n-body's
/// loop, which hides too little latency, and at one if the number of iterations takes a division.

#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Output: loops of a multiple of eight iterations ask LLVM for eight at a time. Loops of any length that read memory
/// in steps request unrolling, or have it done here if LLVM can't (stride_loops.hpp). Loops whose first value is a
/// work-item's, and whose length is not, count their iterations.
void unroll_loops(llvm::Function& kernel);

}  // namespace sinter::jit::gpu
