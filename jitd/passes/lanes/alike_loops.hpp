#pragma once
/// Loops that the lanes of a sub-group leave in different iterations are there twice: as long as all lanes go on, and
/// for the remaining iterations. In the first form lanes have no masks, so neighbours in memory are loaded together.
/// Rows of matrices whose elements a sub-group shares (`for (i = lane; i < n; i += size)`) are such loops.
///
/// Input: a work-item function whose lanes will be a sub-group, as prepare_for_lanes leaves it without hoisting: loops
/// are tested in their headers. Takes innermost loops that access memory, are left from the header alone, and let no
/// work-items exchange values. Order and results of a work-item's operations do not change.

#include "lane_shapes.hpp"

namespace sinter::passes {

/// Returns whether there is such a loop. `known` does not hold for the function that it leaves.
bool go_on_alike(const lane_analyses& known);

}  // namespace sinter::passes
