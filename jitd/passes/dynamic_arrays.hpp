#pragma once
/// Private arrays whose length is known only while the kernel runs (a GNU extension, alloca). They lie on the stack of
/// the code between two barriers, for one work-item at a time: what lives longer is refused, by name and line.
///
/// Input: a work-item function, not yet cut at its barriers.
/// Output: the same without restored stack pointers that were saved in front of a barrier: the end of each region
/// frees.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

llvm::Error check_dynamic_arrays(llvm::Function& work_item);

}  // namespace sinter::passes
