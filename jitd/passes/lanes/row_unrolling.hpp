#pragma once
/// Unrolls loops that go along a row of memory, so that each lane loads pieces of its row (access_pieces.hpp). Such
/// loops are innermost and have one block, their lanes do not diverge, and no store may touch the memory that they
/// read. The iterations that together read one cache line become one block, and the remaining iterations run as before.
/// The order of each work-item's operations does not change. Other loops stay as they are.
///
/// Input: a region after prepare_for_lanes.

#include "lane_region.hpp"
#include "llvm/Analysis/LoopInfo.h"

namespace sinter::passes {

/// Returns true if it unrolled a loop.
bool unroll_rows(lane_region& region);

/// The number of original iterations in one iteration of this loop. If this loop runs the remaining iterations of an
/// unrolled loop, returns the number for the unrolled loop. Returns 1 if no iterations were joined.
unsigned joined_iterations(const llvm::Loop& loop);

}  // namespace sinter::passes
