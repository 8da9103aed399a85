#pragma once
/// Handles stores to local memory behind a branch, if the same work-item has just read the old value and the lanes
/// fill whole vectors together (lane_orders.hpp): a select chooses the stored value, and the store always happens.
/// Lanes then need no masks. (Masks would have to be rearranged like the data.)
///
/// Input: a region as prepare_for_lanes leaves it. Output: the region without branches that lead only to such stores
/// and cheap arithmetic. A work-group runs on one thread, so no other code runs between the load and the store; no two
/// lanes store to one place, so no lane overwrites a new value of another lane by an old one. Even programs with races
/// do not notice the change. Bitonic and odd-even sorts, cellular automata and networks of swaps gain if they are
/// written pair by pair (README.md).

#include "passes/lanes/lane_region.hpp"

namespace sinter::passes {

void unguard_local_stores(lane_region& region);

}  // namespace sinter::passes
