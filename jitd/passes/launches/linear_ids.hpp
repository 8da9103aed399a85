#pragma once
/// Handles linear ids that the kernel splits again by a captured width: `k / n` and `k % n` of `k =
/// item.get_linear_id()`. If the width is that of the range, the results are the ids from which the linear id was
/// computed.
///
/// Input: a work-item function. Ids and arguments are SSA values.
/// Output: the function without these divisions.

#include "llvm/IR/Function.h"
#include "passes/lanes/number_bounds.hpp"

namespace sinter::passes {

/// Returns the condition under which the width is that of the range, as a value of the early function. Returns null if
/// nothing was changed.
llvm::Value* take_linear_ids_apart(llvm::Function& work_item, early_function& early);

}  // namespace sinter::passes
