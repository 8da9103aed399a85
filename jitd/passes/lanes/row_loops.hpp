#pragma once
/// Loops in which each work-item stores along a row of its own: a row of a matrix per work-item. Work-items one by one
/// fill lines of memory one after the other, and LLVM's loop vectorizer may make vectors along the row; lanes would
/// store to as many lines at a time, often in one set of the cache.
///
/// Input: a work-item function as prepare_for_lanes leaves it. Nothing is changed.

#include "lane_shapes.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

class row_loops {
public:
  /// There are none.
  row_loops() = default;
  row_loops(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine);

  /// Whether iterations of a loop store side by side, and lanes don't.
  bool goes_along(const llvm::Instruction& store) const { return m_stores.contains(&store); }

  /// How many times faster the block is for one work-item alone when LLVM makes vectors of its loop.
  double gain_alone(const llvm::BasicBlock& block) const;

private:
  llvm::SmallPtrSet<const llvm::Instruction*, 8> m_stores;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> m_vectors;
};

}  // namespace sinter::passes
