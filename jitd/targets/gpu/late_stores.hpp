#pragma once
/// Lets loads run before earlier stores to other memory. LLVM knows that the loads and the stores access different
/// memory, but the GPUs' own compilers don't know it.

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Moves stores behind such loads in the same basic block.
void delay_stores(llvm::Function& kernel, llvm::AAResults& aliases);

}  // namespace sinter::jit::gpu
