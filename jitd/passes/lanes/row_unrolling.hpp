#pragma once
/// Unrolls loops that go along a row of memory, so that each lane loads pieces of its row (access_pieces.hpp). Such
/// loops are innermost and of one block, their lanes stay together, and no store may touch the memory that they read.
/// The iterations that fill a cache line become one block, the remaining iterations run as before. The order of each
/// work-item's operations does not change. Other loops stay as they are.
///
/// Input: a region after prepare_for_lanes.

#include "lane_region.hpp"
#include "llvm/Analysis/LoopInfo.h"

namespace sinter::passes {

/// Returns whether there was such a loop.
bool unroll_rows(lane_region& region);

/// How many iterations became one in this loop, or in the loop whose remaining iterations it runs. Returns 1 if none
/// were joined.
unsigned joined_iterations(const llvm::Loop& loop);

}  // namespace sinter::passes
