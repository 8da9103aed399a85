#pragma once
/// Prints the results of the analyses for lanes, so that each can be tested by itself (tests/passes).

#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit {

/// Input: a work-item function in the form that lane_shapes takes. It is left alone.
/// Prints its plan: blocks in the order in which wide code has them (flow_graph) with the lanes that run each, the
/// shape of every value (lane_shapes) and what is done about each instruction (lane_plan); then what one work-item and
/// all lanes cost (lane_cost), and what is wrong with the plan, if anything is (lane_plan_verifier).
void print_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, unsigned lanes, bool nd_range,
                 llvm::raw_ostream& stream);

}  // namespace sinter::jit
