#pragma once
/// Makes a function that does the work of several work-items at once. These work-items, the lanes, follow each other
/// along SYCL's last dimension.
///
/// Input: a work-item function after prepare_for_lanes, and its plan. The work-item function has no blocks afterwards.
/// Output: a function with the work-item function's parameters, which have lane 0's values. With `prefix`, the function
/// has one more parameter: the number of lanes.
///
/// Branches that lanes take together stay branches. If lanes diverge at a branch, both sides of the branch run one
/// after the other. Each block then has a mask of the lanes that run the block, and phis become selects. Lanes that
/// left a loop wait for all other lanes. The operations of one lane keep their order. If several lanes access one
/// address by one instruction, the accesses happen in the order of lanes.

#include "lane_plan.hpp"

namespace sinter::passes {

llvm::Function* make_wide_function(llvm::Function& scalar, const lane_plan& plan);

}  // namespace sinter::passes
