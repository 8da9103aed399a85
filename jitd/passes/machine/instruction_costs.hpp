#pragma once
/// Costs of instructions on a CPU. Sinter chooses between several versions of a kernel's code by sums of these costs:
/// `lane_cost` adds up costs over work-items and lanes, `register_blocking` over neighbours, `result_latency` along the
/// values for which the next iteration waits, and `work_item_loops` over bodies that are repeated.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instruction.h"

namespace sinter::passes {

/// The cost for one work-item, or for one vector that fills one register. The numbers are typical of current
/// processors. Sinter only uses these costs to compare several versions of one kernel's code.
struct instruction_cost {
  double work = 0;     ///< cycles for which the instruction's unit is busy, at least 1
  double latency = 0;  ///< cycles until other instructions can use the result
};
/// Returns 0 for instructions for which no machine instruction is emitted.
instruction_cost cost_of(const llvm::Instruction& instruction);

/// The number of registers that `lanes` values of the type fill, at least 1. If the type is a vector, each of the
/// values is such a vector.
double registers_of(const llvm::Type& type, unsigned lanes, unsigned vector_bits);

/// Whether the instruction is a splat, which costs nothing: machines do splats while they load or use a value.
bool is_splat(const llvm::Instruction& instruction);

/// The estimated number of times that the block runs when its function runs once.
double runs_of(const llvm::BasicBlock& block, const llvm::LoopInfo& loops);

}  // namespace sinter::passes
