#pragma once
/// Some passes split a loop into two loops: the first loop runs iterations for all lanes or work-items together, and
/// the second loop runs the rest. The second loop begins by running the loop's header once more.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// The iteration whose header runs once more.
enum class repeated_at : std::uint8_t {
  same_iteration,   ///< the header computes the values that it computed before
  other_iteration,  ///< perhaps an iteration that the program never reaches, whose values may be poison
};

/// Whether the header of a loop may run once more without an effect.
inline bool header_may_repeat(const llvm::Loop& loop, repeated_at where) {
  const bool known = where == repeated_at::same_iteration;
  return llvm::none_of(*loop.getHeader(), [&](const llvm::Instruction& each) {
    if (each.isIntDivRem()) return !known && !llvm::isSafeToSpeculativelyExecute(&each);
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
    if (load) return !load->isSimple() || !(known || loop.isLoopInvariant(load->getPointerOperand()));
    return each.mayReadOrWriteMemory() || each.mayHaveSideEffects();
  });
}

}  // namespace sinter::passes
