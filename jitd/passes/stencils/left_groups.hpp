#pragma once
/// Turns a kernel of an nd_range into a kernel of a range, if its work-groups have no meaning of their own. Programs
/// that come from CUDA or OpenCL give all kernels work-groups. Most stencils in these programs use the work-groups only
/// to compute indices.

#include "llvm/IR/Function.h"
#include "passes/fusion/fusion_metadata.hpp"

namespace sinter::passes {

/// Replaces queries of work-groups and of ids in work-groups with arithmetic on global ids, and turns the nd_range into
/// a range. Returns false, and changes nothing, if the kernel has another use for its work-groups: local memory,
/// barriers, sub-groups.
///
/// Input: a `void(ptr block)` with device calls inlined.
bool leave_groups(llvm::Function& kernel, fusion_range& range);

/// Replaces sums of the form (group id * group size + local id) with global ids. If a size is an argument, it must have
/// become a constant before this call.
void simplify_group_ids(llvm::Function& kernel);

}  // namespace sinter::passes
