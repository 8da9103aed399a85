#pragma once
/// Changes the layout of private arrays if all lanes use equal indices at the same time. All lanes' copies of one
/// element become one vector in memory. Without this change, each access would be a gather or a scatter.
///
/// Input: a work-item function after prepare_for_lanes.
/// Output: such an array has room for all lanes, and the distance between its elements is multiplied by the number of
///   lanes. lane_of_elements returns the distance from one lane's element to the next lane's. The results of a
///   work-item do not change.

#include "lane_region.hpp"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

void lay_side_by_side(lane_region& region);

/// The distance in bytes from lane to lane in an array that has room for all lanes. Returns 0 if the array has room for
/// only one lane.
std::uint64_t lane_of_elements(const llvm::AllocaInst& array);

}  // namespace sinter::passes
