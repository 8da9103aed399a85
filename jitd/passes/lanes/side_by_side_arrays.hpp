#pragma once
/// Private arrays whose elements all lanes count together. One element of all lanes is then one vector in memory;
/// without this, each access would be a gather or a scatter.
///
/// Input: a work-item function as prepare_for_lanes leaves it.
/// Output: such an array has room for all lanes, and the distance of its elements is multiplied by the number of lanes;
/// lane_of_elements gives the distance from lane to lane. The function still means the same for one work-item.

#include "lane_region.hpp"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

void lay_side_by_side(lane_region& region);

/// Bytes from lane to lane, of an array that has room for all lanes; 0: the array belongs to one lane.
std::uint64_t lane_of_elements(const llvm::AllocaInst& array);

}  // namespace sinter::passes
