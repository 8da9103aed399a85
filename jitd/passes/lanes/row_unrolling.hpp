#pragma once
/// Loops that go along a row of memory are unrolled, so that each lane loads pieces of its row (load_pieces.hpp):
/// innermost loops of one block, whose lanes stay together, without stores that may touch what is read. Several
/// iterations, a line of the caches, become one block; those that are left run as before. Each work-item does what it
/// did in the same order. Other loops stay as they are.
///
/// Input: a region as prepare_for_lanes leaves it.

#include "lane_region.hpp"

namespace sinter::passes {

/// Whether there is such a loop.
bool unroll_rows(lane_region& region);

}  // namespace sinter::passes
