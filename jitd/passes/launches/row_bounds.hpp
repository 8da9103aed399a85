#pragma once
/// Rows of work-items that are cut before they run. Kernels begin with a guard, `if (i < n)` or `if (i > 0 && i < x - 1
/// && j > 0)`: in each row, only work-items between two bounds do anything, and all of these pass.
///
/// Input: a work-item function of a range kernel, or of rows of a flat range (flat_rows.hpp); ids are values.
/// Output: conditions of the guard on the id along the row, and on values that are equal for the whole row, are true;
///   and a function that says which work-items of a row are left: {i64, i64}(row_bound_parameters), the first id and
///   the one behind the last.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// The argument block, the row's ids, the global range and the offset.
llvm::ArrayRef<unsigned> row_bound_parameters();

/// `in_flat_range`: the rows are those of a flat range. Null: there is no guard, and nothing was changed.
llvm::Function* cut_rows(llvm::Function& work_item, bool narrow_ids, bool in_flat_range);

}  // namespace sinter::passes
