#pragma once
/// LLVM's passes for an entry whose work-items are all lanes of vectors. These passes are the part of -O3 that is still
/// useful for such entries.

#include "llvm/IR/PassManager.h"

namespace sinter::jit {

/// The order is that of LLVM's own pipeline. Bodies were simplified before they became wide, so interprocedural passes
/// and the rotation of loops are left out. Some bodies consist of many copies and are long, so several passes share one
/// clean-up. `in_rows` says that some bodies run several rows, and that a row loads nothing but its own values.
llvm::FunctionPassManager passes_for_vectors(bool in_rows);

}  // namespace sinter::jit
