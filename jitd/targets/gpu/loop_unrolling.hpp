#pragma once
/// Innermost loops are unrolled as far as NVIDIA's compiler does it: LLVM's bound for PTX stops at two iterations of
/// n-body's loop, which hides too little of the latency of what they wait for, and at one where the number of
/// iterations takes a division.

#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Output: loops of a multiple of eight iterations ask for eight at a time, those of any length that read memory in
/// steps for some, or make these at a time where LLVM can't (stride_loops.hpp). Loops whose first value is a
/// work-item's, and whose length is not, count their iterations.
void unroll_loops(llvm::Function& kernel);

}  // namespace sinter::jit::gpu
