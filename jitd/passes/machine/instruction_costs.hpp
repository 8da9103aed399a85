#pragma once
/// Costs of instructions on a CPU, for all code that chooses between forms. It adds these costs up: `lane_cost`
/// over work-items and lanes, `register_blocking` over neighbours, `result_latency` along the values that the next
/// iteration waits for, `work_item_loops` over bodies that are repeated.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instruction.h"

namespace sinter::passes {

/// The cost for one work-item, or for one vector that fills one register. The numbers are those of current processors,
/// which are similar. They serve only to compare forms of one kernel.
struct instruction_cost {
  double work = 0;     ///< cycles for which the instruction's unit is busy; 1 also if several start in each cycle
  double latency = 0;  ///< cycles until other instructions can use the result
};
/// Returns 0 for instructions that become no machine instruction.
instruction_cost cost_of(const llvm::Instruction& instruction);

/// The number of registers that `lanes` values of the type fill, at least 1. Lanes of a vector type are counted as
/// well.
double registers_of(const llvm::Type& type, unsigned lanes, unsigned vector_bits);

/// Whether the instruction is a splat. Machines do splats while they load or use a value.
bool is_splat(const llvm::Instruction& instruction);

/// The estimated number of times that the block runs when its function runs once.
double runs_of(const llvm::BasicBlock& block, const llvm::LoopInfo& loops);

}  // namespace sinter::passes
