#pragma once
/// Unrolls loops that go along a row of memory, so that each lane loads pieces of its row (access_pieces.hpp):
/// innermost loops of one block, whose lanes stay together, without stores that may touch the memory they read. Several
/// iterations, as many as a line of the caches holds, become one block; the remaining ones run as before. The order of
/// each work-item's operations does not change. Other loops stay as they are.
///
/// Input: a region as prepare_for_lanes leaves it.

#include "lane_region.hpp"
#include "llvm/Analysis/LoopInfo.h"

namespace sinter::passes {

/// Returns whether there is such a loop.
bool unroll_rows(lane_region& region);

/// How many iterations became one in this loop, or in the loop whose last iterations it takes; 1: none did.
unsigned joined_iterations(const llvm::Loop& loop);

}  // namespace sinter::passes
