#pragma once
/// Whether a plan for lanes can be right, asked without the reasons for which it was made: each instruction has one
/// action and each block its lanes, the action fits what the instruction is and how its operands differ between lanes,
/// accesses made together are all there, and nothing that must not happen for no lane at all is done in blocks that
/// perhaps no lane runs.

#include <string>

#include "lane_plan.hpp"

namespace sinter::passes {

/// The first fault, with the instruction or block it is about; empty: there is none.
std::string fault_of(const lane_plan& plan);

}  // namespace sinter::passes
