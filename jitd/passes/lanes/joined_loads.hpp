#pragma once
/// Joins narrow loads that each lane makes side by side at a place of its own, such as bytes of quantised numbers and
/// parts of pixels. They become one load of up to eight bytes, whose parts are taken in registers. Lanes then gather
/// once, and the words of lanes may lie side by side even if their bytes do not.
///
/// Input: a region after prepare_for_lanes. The word is loaded at the place of its first load. Nothing between its
/// loads may write to the word, and only bytes are loaded that the narrow loads would load.

#include "lane_region.hpp"

namespace sinter::passes {

/// Returns whether there were such loads.
bool join_narrow_loads(lane_region& region);

}  // namespace sinter::passes
