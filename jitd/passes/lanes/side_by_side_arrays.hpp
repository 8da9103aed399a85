#pragma once
/// Private arrays whose elements all lanes count together: each element of all lanes is one vector in memory, instead
/// of a gather and a scatter of the lanes' own arrays.
///
/// Input: a work-item function as prepare_for_lanes leaves it.
/// Output: such an array has room for all lanes, and its elements are as many times as far from each other; where they
///   begin in each lane, lane_of_elements says. As a function of one work-item it means what it meant before.

#include "lane_region.hpp"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

void lay_side_by_side(lane_region& region);

/// Bytes from lane to lane, of an array that has room for all; 0: it is that of one lane.
std::uint64_t lane_of_elements(const llvm::AllocaInst& array);

}  // namespace sinter::passes
