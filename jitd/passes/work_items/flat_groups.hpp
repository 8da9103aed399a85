#pragma once
/// Groups as one row of work-items, for sub-groups that are not pieces of rows.
///
/// Sub-groups follow the linear local id. Where one runs on from a row to the next, all that knows rows has to see one
/// long row. Input: a work-item function (work_item_function.hpp), its local range not stated yet. Output: the same
/// function of a group with one dimension: parameter_local_id + 2 is the linear local id,
///   parameter_local_range is {1, 1, work-items}. The ids that the kernel asks for are computed from it, by the local
/// range of the launch in parameter_shape. Groups may have 32768 work-items at most.

#include <array>
#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::passes {

/// The group shape that all launches share: where `range` is all 0, nothing is known.
struct group_shape {
  unsigned dimensions;
  std::array<std::uint64_t, 3> range;  ///< padded SYCL order
};

/// Whether sub-groups of that size are pieces of rows: all ranges have one row only, or rows of whole sub-groups.
bool sub_groups_are_in_rows(const group_shape& shape, unsigned size);

/// For launches whose rows consist of whole sub-groups.
void state_row_multiple(llvm::Function& work_item, unsigned size);

void flatten_groups(llvm::Function& work_item, const group_shape& shape, bool narrow_ids);

/// The factor by which a linear id is multiplied instead of divided: the argument for parameter_reciprocal.
llvm::Value* reciprocal(llvm::IRBuilderBase& builder, llvm::Value* divisor);

} // namespace sinter::passes
