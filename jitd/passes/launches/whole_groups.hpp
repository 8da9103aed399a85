#pragma once
/// Groups all of whose work-items pass the kernel's guard, `if (i < n)`: what is behind the guard is common to all
/// there, so that work-items may meet (idioms/loop_accesses.hpp).
///
/// Input: a work-item function of an nd_range kernel of one dimension, without barriers; ids are values.
/// Output: a copy that asks once whether the whole group passes. If so, it goes on without the guard, else as before.
///   Null: the kernel begins with no guard that says anything of ids along the row.

#include "llvm/IR/Function.h"

namespace sinter::passes {

llvm::Function* set_whole_groups_apart(llvm::Function& work_item, bool narrow_ids);

}  // namespace sinter::passes
