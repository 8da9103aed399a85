#pragma once
/// A work-item function for several work-items at once, the lanes, which follow each other along SYCL's last dimension.
///
/// Input: a work-item function as prepare_for_lanes leaves it, and its plan. Its blocks are used up.
/// Output: a function with the same parameters, those of lane 0, and one more when `prefix`: the number of lanes there
///   are. Branches that lanes take together stay branches. Where they part, both ways follow each other: each block has
///   a mask of the lanes that run it, phis become selects, and lanes that left a loop wait until all have. What one
///   lane does keeps its order; so does what the lanes do to one address in one instruction.

#include "lane_plan.hpp"

namespace sinter::passes {

llvm::Function* make_wide_function(llvm::Function& scalar, const lane_plan& plan);

}  // namespace sinter::passes
