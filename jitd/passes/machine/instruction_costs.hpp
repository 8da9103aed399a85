#pragma once
/// Costs of instructions on a CPU, in one place for all. Who chooses between forms adds these up: `lane_cost` over
/// work-items and lanes, `register_blocking` over neighbours, `result_latency` along what the next iteration waits for,
/// `work_item_loops` over bodies that are repeated.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instruction.h"

namespace sinter::passes {

/// The cost for one work-item, or for one vector that fills one register. Numbers of current processors, which are near
/// to each other: what is compared are forms of one kernel.
struct instruction_cost {
  double work = 0;     ///< cycles in which its unit takes nothing else; 1: it is one of several in each cycle
  double latency = 0;  ///< cycles until others can use the result
};
/// Nothing for what leaves no instruction of its own.
instruction_cost cost_of(const llvm::Instruction& instruction);

/// How many registers `lanes` values of the type fill, a vector type's lanes counted as well: 1 at least.
double registers_of(const llvm::Type& type, unsigned lanes, unsigned vector_bits);

/// Splats: machines do that where a value is loaded or used.
bool is_splat(const llvm::Instruction& instruction);

/// How often the block runs when its function runs once, as far as anybody knows.
double runs_of(const llvm::BasicBlock& block, const llvm::LoopInfo& loops);

}  // namespace sinter::passes
