#pragma once
/// Unrolls innermost loops as far as NVIDIA's compiler does. LLVM's limit for PTX joins only two iterations of n-body's
/// loop, which hides too little latency, and none if it would need a division to find the number of iterations.

#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Output: LLVM is asked to join eight iterations in loops whose number of iterations is a multiple of eight, and to
/// unroll loops of unknown length that read memory in equal steps; if LLVM can't do the latter, it is done here
/// (stride_loops.hpp). A loop whose first value depends on the work-item, but whose length does not, gets a counter of
/// iterations.
void unroll_loops(llvm::Function& kernel);

}  // namespace sinter::jit::gpu
