#pragma once
/// Splits loops that the lanes of a sub-group leave in different iterations. The first loop runs as long as no lane
/// leaves it, and the second loop runs the remaining iterations. The first loop needs no masks, so if lanes load
/// neighbouring elements, these loads become one load of a vector. An example is a loop over a matrix row that a
/// sub-group shares: `for (i = lane; i < n; i += size)`.
///
/// Input: a work-item function whose lanes will be a sub-group. prepare_for_lanes has run without hoisting, so loops
/// test their conditions in their headers. The pass splits innermost loops that access memory, have exits only from the
/// header, and contain no exchanges between work-items. The order and the results of a work-item's operations do not
/// change.

#include "lane_shapes.hpp"

namespace sinter::passes {

/// Returns true if it split a loop. After a change, `known` no longer describes the function.
bool go_on_alike(const lane_analyses& known);

}  // namespace sinter::passes
