#pragma once
/// Loads that are known to read other memory than stores in front of them need not wait for these: GPUs' own compilers
/// don't know it.

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Function.h"

namespace sinter::jit::gpu {

/// Moves stores down within their blocks, behind such loads.
void delay_stores(llvm::Function& kernel, llvm::AAResults& aliases);

}  // namespace sinter::jit::gpu
