#pragma once
/// Checks a plan for lanes independently of the reasons for it: each instruction has one action and each block its
/// lanes; the action fits the instruction and the shapes of its operands; accesses that are joined are all there; and
/// blocks that perhaps no lane runs contain nothing that some lane must run.

#include <string>

#include "lane_plan.hpp"

namespace sinter::passes {

/// The first fault, with its instruction or block. The result is empty if the plan has no fault.
std::string fault_of(const lane_plan& plan);

}  // namespace sinter::passes
