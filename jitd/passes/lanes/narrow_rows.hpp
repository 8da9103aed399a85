#pragma once
/// Loops in which each work-item combines bytes or 16-bit integers along a row of its own, such as products of
/// quantised numbers. LLVM's loop vectorizer has vectors of 32 or 64 of them and instructions that add up products;
/// lanes would gather one number each at a time.
///
/// Input: a work-item function. Loops are innermost, store nothing, and combine integers, whose order does not matter.
/// LLVM would unroll short ones before it looks for vectors, so they are told to stay until forget().

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
  /// The share of a work-item's work (instruction_costs.hpp) that is left where LLVM makes vectors of these loops.
  double share() const { return m_share; }
  /// The scalar form is not taken: its loops are as they were.
  void forget();

private:
  double m_share = 1;
  llvm::SmallVector<std::pair<llvm::Instruction*, llvm::MDNode*>, 2> m_before;  ///< ends of loops, and what they had
};

}  // namespace sinter::passes
