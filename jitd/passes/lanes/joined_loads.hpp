#pragma once
/// Loads of which each lane makes several side by side from a place of its own, such as bytes of quantised numbers and
/// parts of pixels, become one load of up to eight bytes whose parts are taken in registers: lanes gather once, and
/// words of lanes may lie side by side where their bytes do not.
///
/// Input: a region as prepare_for_lanes leaves it. The word is loaded at the place of the first of its loads; nothing
/// in between may write there, and no byte is loaded that the loads would not load.

#include "lane_region.hpp"

namespace sinter::passes {

/// Returns whether there are such loads.
bool join_narrow_loads(lane_region& region);

}  // namespace sinter::passes
