#pragma once
/// Makes a form for groups whose work-items all pass the kernel's guard, `if (i < n)`. All work-items of such a group
/// run the code behind the guard, so passes may add barriers to this code (idioms/loop_accesses.hpp).
///
/// Input: a work-item function of an nd_range kernel of one dimension, without barriers; ids are SSA values.
/// Output: a copy that tests once whether the whole group passes. If so, the copy continues without the guard,
///   otherwise with the guard. The result is null if the kernel does not begin with a guard on ids along the row.

#include "llvm/IR/Function.h"

namespace sinter::passes {

llvm::Function* set_whole_groups_apart(llvm::Function& work_item, bool narrow_ids);

}  // namespace sinter::passes
