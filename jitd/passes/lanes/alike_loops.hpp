#pragma once
/// Copies loops that the lanes of a sub-group leave in different iterations. The first form runs as long as all lanes
/// go on, the second form runs the remaining iterations. In the first form lanes have no masks, so neighbours in memory
/// are loaded together. Rows of matrices whose elements a sub-group shares (`for (i = lane; i < n; i += size)`) are
/// such loops.
///
/// Input: a work-item function whose lanes will be a sub-group, after prepare_for_lanes without hoisting: loops are
/// tested in their headers. The pass takes innermost loops that access memory, are left from the header alone, and let
/// no work-items exchange values. Order and results of a work-item's operations do not change.

#include "lane_shapes.hpp"

namespace sinter::passes {

/// Returns whether there was such a loop. After a change, `known` no longer describes the function.
bool go_on_alike(const lane_analyses& known);

}  // namespace sinter::passes
