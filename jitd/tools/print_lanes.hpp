#pragma once
/// What the analyses for lanes say of a function, as text: so that each can be tested by itself (tests/passes).

#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit {

/// Input: a work-item function in the form that lane_shapes takes. It is left alone.
/// Prints blocks in the order in which wide code has them (flow_graph) with the lanes that run each, the shape of every
/// value (lane_shapes), and what one work-item and all lanes cost (lane_cost).
void print_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, unsigned lanes, bool nd_range,
                 llvm::raw_ostream& stream);

}  // namespace sinter::jit
