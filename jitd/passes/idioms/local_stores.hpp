#pragma once
/// Handles stores to local memory behind a branch, where the same work-item has just read the old value and the lanes
/// fill whole vectors together (lane_orders.hpp): a select chooses the stored value, and the store always happens.
/// Lanes need no masks then, which would have to be rearranged as well.
///
/// Input: a region as prepare_for_lanes leaves it. Output: the same without branches that lead to nothing but such
/// stores and cheap arithmetic. A work-group runs on one thread, so no other code runs between the load and the store;
/// and no two lanes store to one place, so that none puts back a value which another has replaced. Even programs with
/// races do not notice it. Gains where bitonic and odd-even sorts, cellular automata and networks of swaps are written
/// pair by pair (README.md).

#include "passes/lanes/lane_region.hpp"

namespace sinter::passes {

void unguard_local_stores(lane_region& region);

}  // namespace sinter::passes
