#pragma once
/// Finds loops in which each work-item stores along a row of its own, such as a row of a matrix. If work-items run one
/// by one, they fill cache lines one after the other, and LLVM's loop vectorizer may make vectors along the row. If
/// work-items are lanes of a vector, all lanes store at the same time, each to a cache line of its own, and often all
/// these lines are in one set of the cache.
///
/// Input: a work-item function after prepare_for_lanes. The function is not changed.

#include "lane_shapes.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

class row_loops {
public:
  /// An empty result.
  row_loops() = default;
  row_loops(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine);

  /// Whether consecutive iterations of a loop store to neighbouring elements, but neighbouring lanes do not.
  bool goes_along(const llvm::Instruction& store) const { return m_stores.contains(&store); }

  /// The factor by which the block is faster in the scalar form, because LLVM makes vectors of the block's loop.
  double gain_alone(const llvm::BasicBlock& block) const;

private:
  llvm::SmallPtrSet<const llvm::Instruction*, 8> m_stores;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> m_vectors;
};

}  // namespace sinter::passes
