#pragma once
/// Checks a plan for lanes without using the analyses from which the plan was made. Each instruction must have one
/// action, and each block must have a mask. An action must fit the instruction and the shapes of the instruction's
/// operands. A group or piece must have all of its accesses. If a block may run while no lane is active in it, the
/// block must not contain instructions that need an active lane.

#include <string>

#include "lane_plan.hpp"

namespace sinter::passes {

/// Returns a text with the first fault and the instruction or block that has the fault. The text is empty if the plan
/// has no fault.
std::string fault_of(const lane_plan& plan);

}  // namespace sinter::passes
