#pragma once
/// LLVM's passes for an entry that runs several rows in one body: what is left of -O3 there.

#include "llvm/IR/PassManager.h"

namespace sinter::jit {

/// The order is that of LLVM's own pipeline. Such bodies are many copies of code that was simplified before: what works
/// between functions finds nothing, loops are rotated, and one run cleans up behind several passes.
llvm::FunctionPassManager passes_for_rows();

}  // namespace sinter::jit
