#pragma once
/// Finds loops in which each work-item combines bytes or 16-bit integers along a row of its own, such as products of
/// quantised numbers. LLVM's loop vectorizer makes vectors of 32 or 64 such numbers, and uses instructions that add up
/// products. If the work-items were lanes of a vector instead, each lane would gather one number at a time.
///
/// Input: a work-item function. The class finds innermost loops that store nothing and combine integers, so that the
/// order of operations does not matter. LLVM would unroll short loops before it looks for vectors, so the loops get
/// marks that prevent unrolling.

#include <utility>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

class narrow_rows {
public:
  narrow_rows(llvm::Function& work_item, llvm::TargetMachine& machine);

  bool any() const { return m_share < 1; }
  /// If LLVM makes vectors of these loops, a work-item's cost (instruction_costs.hpp) becomes smaller. Returns the new
  /// cost divided by the original cost.
  double share() const { return m_share; }
  /// Removes the marks of the loops. Call this function if the scalar code of the kernel is not used.
  void forget();

private:
  double m_share = 1;
  /// The branches at the ends of marked loops. Each branch comes with the metadata that it had before the loop was
  /// marked.
  llvm::SmallVector<std::pair<llvm::Instruction*, llvm::MDNode*>, 2> m_before;
};

}  // namespace sinter::passes
