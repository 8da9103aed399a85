#pragma once
/// Prints the results of the analyses for lanes, so that tests can check each analysis by itself (tests/passes).

#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit {

/// Input: a work-item function in the form that lane_shapes takes. The function is not changed. Prints the function's
/// plan: blocks in the order of wide code (flow_graph) with the lanes that run each block, the shape of every value
/// (lane_shapes) and the action for each instruction (lane_plan). Afterwards, prints the costs of one work-item and of
/// all lanes (lane_cost), and the plan's fault, if the plan has a fault (lane_plan_verifier).
void print_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, unsigned lanes, bool nd_range,
                 llvm::raw_ostream& stream);

}  // namespace sinter::jit
