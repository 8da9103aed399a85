#pragma once
/// States that steps of counters are not negative, if negative steps would make the program incorrect. An example is
/// for (int i = id; i < end; i += step) with a captured step. With a negative step, the counter would go down until it
/// wraps, which is undefined. The vectorizer needs this fact: it computes the addresses of all lanes from lane 0's
/// address, which is right only if the counter of lane 0 does not wrap before the counters of the other lanes.
///
/// Input: any work-item function.
/// Output: the function with max(step, 0) as the step of such loops, computed in front of the loop. Such a loop has one
/// exit with a signed comparison. In each iteration, every instruction passes control to the next instruction: no call
/// may throw or run for ever.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sinter::passes {

/// If a value is the same in all iterations, moves the value in front of `place`, where this is possible. LLVM leaves
/// loads in the loop, but an argument that never changes can be read earlier.
void move_in_front(const llvm::Loop& loop, llvm::Value* value, llvm::Instruction& place);

/// Returns whether there was such a loop. Control flow stays as it is.
bool state_upward_steps(const llvm::LoopInfo& loops);

struct upward_steps : llvm::PassInfoMixin<upward_steps> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

}  // namespace sinter::passes
