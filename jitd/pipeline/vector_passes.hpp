#pragma once
/// LLVM's passes for an entry whose work-items are all lanes of vectors: what is left of -O3 there.

#include "llvm/IR/PassManager.h"

namespace sinter::jit {

/// The order is that of LLVM's own pipeline. Such bodies were simplified before they became wide, some of them are many
/// copies: what works between functions finds nothing, loops are rotated, and one run cleans up behind several passes.
/// `in_rows`: some bodies run several rows, and have nobody else's values to load.
llvm::FunctionPassManager passes_for_vectors(bool in_rows);

}  // namespace sinter::jit
