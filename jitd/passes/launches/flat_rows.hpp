#pragma once
/// Handles rows of flat ranges. Kernels with a one-dimensional range compute their position in a grid from captured
/// widths: `i = id % x` and `j = id / x`. If each work-item divides, no value is known to be uniform, and no accesses
/// are known to be consecutive.
///
/// Input: a work-item function of a kernel with one dimension. Ids are SSA values.
/// Output: a copy of the function for rows of work-items, in which each division is removed or done once for a row. In
/// the copy, parameter_global_id + 1 is the number of the row, parameter_global_range + 0 the id of the row's first
/// work-item, and parameter_global_range + 1 the row's length. A second function returns the length of rows. If it
/// returns 0 (row_forms.hpp), the original work-item function has to run.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

namespace sinter::passes {

struct flat_rows {
  llvm::Function* function = nullptr;  ///< null if no id is divided by a value that is known before the launch
  llvm::Function* length = nullptr;    ///< i64(block, global range, global offset)
};

/// A quick test: whether the function has an integer division.
bool divides(const llvm::Function& function);

struct flat_range {
  bool narrow_ids;
  /// Whether work-groups become parts of rows. If the kernel uses its group for anything but ids, groups can't become
  /// parts of rows.
  bool grouped;
  std::uint64_t group;     ///< number of work-items of each group; 0 if not known
  llvm::MDNode* accesses;  ///< the access group, which the copy shares; may be null
};

flat_rows find_flat_rows(llvm::Function& work_item, const flat_range& range);

}  // namespace sinter::passes
