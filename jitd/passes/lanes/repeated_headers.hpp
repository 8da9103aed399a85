#pragma once
/// Loops that are there twice, a form for all lanes or work-items together in front of the form for the rest, run their
/// header once more where the second form begins.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Where the header runs once more.
enum class repeated_at : std::uint8_t {
  same_iteration,   ///< all of its values are those that it had before
  other_iteration,  ///< perhaps one that the program does not come to, whose values may be poison
};

/// Whether nobody notices that the header of a loop runs once more.
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
