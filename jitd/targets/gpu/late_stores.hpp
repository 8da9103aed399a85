#pragma once
/// Lets loads run before earlier stores to other memory. LLVM knows that the loads and the stores access different
/// memory, but the GPUs' own compilers don't know it.

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Moves a store behind later loads in the same basic block, if these loads read other memory.
void delay_stores(llvm::Function& kernel, llvm::AAResults& aliases);

}  // namespace sinter::jit::gpu
