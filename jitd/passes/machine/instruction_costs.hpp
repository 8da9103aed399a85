#pragma once
/// Costs of instructions on a CPU, in one place for all. The code that chooses between forms adds these up: `lane_cost`
/// over work-items and lanes, `register_blocking` over neighbours, `result_latency` along the values that the next
/// iteration waits for, `work_item_loops` over bodies that are repeated.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instruction.h"

namespace sinter::passes {

/// The cost for one work-item, or for one vector that fills one register. The numbers are those of current processors,
/// which are similar; only forms of one kernel are compared.
struct instruction_cost {
  double work = 0;     ///< cycles for which its unit is busy; 1: several start in each cycle
  double latency = 0;  ///< cycles until others can use the result
};
/// Instructions that leave no machine instruction cost nothing.
instruction_cost cost_of(const llvm::Instruction& instruction);

/// The number of registers that `lanes` values of the type fill, a vector type's lanes counted as well: 1 at least.
double registers_of(const llvm::Type& type, unsigned lanes, unsigned vector_bits);

/// Splats, which machines do while loading or using a value.
bool is_splat(const llvm::Instruction& instruction);

/// The estimated number of times that the block runs when its function runs once.
double runs_of(const llvm::BasicBlock& block, const llvm::LoopInfo& loops);

}  // namespace sinter::passes
