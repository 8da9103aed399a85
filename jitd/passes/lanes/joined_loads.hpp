#pragma once
/// Joins narrow loads of a lane from neighbouring addresses, such as bytes of quantised numbers and parts of pixels.
/// The narrow loads become one load of up to eight bytes, and the parts are extracted in registers. Each lane then
/// gathers one word instead of several parts. Often no gather is needed at all, because the joined words of
/// neighbouring lanes are contiguous. The bytes of one narrow load in neighbouring lanes are not contiguous.
///
/// Input: a region after prepare_for_lanes. The word is loaded where the first of the narrow loads is. Instructions
/// between the narrow loads may not write to the word. The word has only bytes that the narrow loads would load.

#include "lane_region.hpp"

namespace sinter::passes {

/// Returns true if it joined loads.
bool join_narrow_loads(lane_region& region);

}  // namespace sinter::passes
