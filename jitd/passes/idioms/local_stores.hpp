#pragma once
/// Handles conditional stores to local memory, if the work-item has just read the old value, and the lanes together
/// write whole vectors (lane_orders.hpp). The store becomes unconditional: a select chooses between the new and the old
/// value. So the lanes need no masks. (Masks would have to be rearranged like the data.)
///
/// Input: a region after prepare_for_lanes. Output: the region without branches that lead only to such stores and cheap
/// arithmetic. A work-group runs on one thread, so no other code runs between the load and the store. No two lanes
/// store to one address, so no lane overwrites another lane's new value by an old value. Even programs with races can't
/// observe the change. Bitonic and odd-even sorts, cellular automata and networks of swaps gain if each work-item
/// handles one pair (README.md).

#include "passes/lanes/lane_region.hpp"

namespace sinter::passes {

void unguard_local_stores(lane_region& region);

}  // namespace sinter::passes
