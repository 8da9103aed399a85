#pragma once
/// Handles rows of flat ranges. Kernels over one dimension compute their place in a grid, `i = id % x` and `j = id /
/// x`, by captured widths. If each work-item divides, no value is known to be uniform, and no access to be consecutive.
///
/// Input: a work-item function of a kernel with one dimension. Ids are values, not memory.
/// Output: a copy for rows of work-items, in which the divisions are gone or the same for a row: parameter_global_id +
///   1 is the row, parameter_global_range + 0 the id of its first work-item, and parameter_global_range + 1 its length.
///   A second function returns the length of rows. If the length is 0 (row_forms.hpp), the work-item function itself
///   has to run.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

namespace sinter::passes {

struct flat_rows {
  llvm::Function* function = nullptr;  ///< null if no work-item divides its id by a value that is known beforehand
  llvm::Function* length = nullptr;    ///< i64(block, global range, global offset)
};

/// A quick test: whether the function has an integer division.
bool divides(const llvm::Function& function);

struct flat_range {
  bool narrow_ids;
  /// Whether groups become pieces of rows; a kernel that uses more of its group than ids has no such form.
  bool grouped;
  std::uint64_t group;     ///< number of work-items of each group; 0 if not known
  llvm::MDNode* accesses;  ///< the access group, which the copy shares; may be null
};

flat_rows find_flat_rows(llvm::Function& work_item, const flat_range& range);

}  // namespace sinter::passes
