#pragma once
/// Stores to local memory behind a branch, where the same work-item has just read what they replace: what is stored is
/// chosen, and the store is made always. No lane needs a mask or a jump of its own then.
///
/// Input: a function with the parameters of work_item_function.hpp, of one work-item.
/// Output: the same without branches that lead to nothing but such stores and cheap arithmetic.
/// A work-group runs on one thread, so nobody comes between the load and the store. Another work-item of a vector that
/// writes there at the same time would race with the load already.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void unguard_local_stores(llvm::Function& work_item);

}  // namespace sinter::passes
