#pragma once
/// Rows of flat ranges. Kernels over one dimension compute their place in a grid, `i = id % x` and `j = id / x`, by
/// widths that are captured. If each work-item divides, no value is uniform, and no access has a form.
///
/// Input: a work-item function of a kernel with one dimension; ids are values, not memory.
/// Output: a copy for rows of work-items, in which the divisions are gone or the same for a row:
///   parameter_global_id + 1 is the row, parameter_global_range + 0 the id of its first work-item and + 1 its length.
/// A second function returns the length of rows: if it is 0 (row_forms.hpp), the work-item function itself has to
///   run.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

namespace sinter::passes {

struct flat_rows {
  llvm::Function* function = nullptr;  ///< null: no work-item divides its id by a value that is known beforehand
  llvm::Function* length = nullptr;    ///< i64(block, global range, global offset)
};

/// Whether it is worth looking: an integer division.
bool divides(const llvm::Function& function);

struct flat_range {
  bool narrow_ids;
  bool grouped;  ///< groups become pieces of rows: a kernel that uses more of its group than ids has no such form
  std::uint64_t group;     ///< work-items of each group; 0: not known
  llvm::MDNode* accesses;  ///< the access group, which stays that of the copy; may be null
};

flat_rows find_flat_rows(llvm::Function& work_item, const flat_range& range);

}  // namespace sinter::passes
