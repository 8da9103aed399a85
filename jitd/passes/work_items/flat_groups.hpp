#pragma once
/// Turns a group into one row of work-items, for sub-groups that are not parts of rows.
///
/// A sub-group consists of work-items with consecutive linear local ids. If a sub-group continues in the next row, code
/// that handles rows needs the group as one long row.
/// Input: a work-item function (work_item_function.hpp) whose local range is not stated yet.
/// Output: this function for a group with one dimension: parameter_local_id + 2 is the linear local id, and
///   parameter_local_range is {1, 1, work-items}. All ids that the kernel queries are computed from the linear local id
///   and the launch's local range (parameter_shape). A group may have at most 32768 work-items.

#include <array>
#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::passes {

/// The shape of groups in all launches. If `range` is all 0, it is not known.
struct group_shape {
  unsigned dimensions;
  std::array<std::uint64_t, 3> range;  ///< in padded SYCL order
};

/// Whether sub-groups of this size are parts of rows, because each group has only one row, or because rows consist of
/// whole sub-groups.
bool sub_groups_are_in_rows(const group_shape& shape, unsigned size);

/// Tells the optimiser that rows consist of whole sub-groups of this size. The code is only for launches in which this
/// is so.
void state_row_multiple(llvm::Function& work_item, unsigned size);

void flatten_groups(llvm::Function& work_item, const group_shape& shape, bool narrow_ids);

/// Computes the argument for parameter_reciprocal: the factor that replaces the division of a linear id by `divisor`.
llvm::Value* reciprocal(llvm::IRBuilderBase& builder, llvm::Value* divisor);

} // namespace sinter::passes
