#pragma once
/// LLVM's passes for an entry whose work-items are all lanes of vectors. They are the part of -O3 that is still useful
/// for such entries.

#include "llvm/IR/PassManager.h"

namespace sinter::jit {

/// The order is that of LLVM's own pipeline. Bodies of wide forms were simplified before they became wide, and some
/// bodies consist of many copies. So interprocedural passes are left out, loops are rotated already, and one clean-up
/// serves several passes. `in_rows` says that some bodies run several rows, and that a row loads nothing but its own
/// values.
llvm::FunctionPassManager passes_for_vectors(bool in_rows);

}  // namespace sinter::jit
