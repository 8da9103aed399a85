#pragma once
/// Finds the work-items of a kernel that do something. Many programs start a work-item for each element of an image. A
/// condition on ids then leaves out the border, or the work-items that only fill the last work-group.

#include "llvm/IR/Function.h"
#include "passes/fusion/fusion_metadata.hpp"

namespace sinter::passes {

/// Returns a range that contains all work-items that do something. If no condition on ids leaves work-items out, the
/// result is `range`.
///
/// Input: a `void(ptr block)` for this range with device calls inlined.
fusion_range ids_with_effects(const llvm::Function& kernel, const fusion_range& range);

/// Removes the metadata with the range of results from calls of __sinter_global_id, before the kernel is rewritten for
/// another range.
void forget_ranges_of_ids(llvm::Function& kernel);

}  // namespace sinter::passes
