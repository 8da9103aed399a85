#pragma once
/// Shortens rows of work-items before they run. Many kernels begin with a guard, such as `if (i < n)` or `if (i > 0 &&
/// i < x - 1 && j > 0)`. In each row, exactly the work-items between two bounds pass the guard. The other work-items
/// do nothing.
///
/// Input: a work-item function of a range kernel, or of rows of a flat range (flat_rows.hpp); ids are SSA values.
/// Output: the guard's conditions become true if they depend only on the id along the row, and on values that are equal
///   for the whole row. A new function {i64, i64}(row_bound_parameters) returns which work-items of a row pass: the
///   first id, and the last id plus 1.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// The parameters of the new function: the argument block, the row's ids, the global range and the offset.
llvm::ArrayRef<unsigned> row_bound_parameters();

/// `in_flat_range` says that the rows belong to a flat range (flat_rows.hpp). Returns null, and changes nothing, if
/// there is no guard.
llvm::Function* cut_rows(llvm::Function& work_item, bool narrow_ids, bool in_flat_range);

}  // namespace sinter::passes
