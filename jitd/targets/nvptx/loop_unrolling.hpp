#pragma once
/// Short innermost loops of a known length are unrolled as far as NVIDIA's compiler does it: LLVM's bound for PTX stops
/// at two iterations of n-body's loop, which hides too little of the latency of what they wait for.

#include "llvm/IR/Function.h"

namespace sinter::jit::nvptx {

/// Output: loops of a multiple of eight iterations ask for eight at a time.
void hint_unrolling(llvm::Function& kernel);

}  // namespace sinter::jit::nvptx
