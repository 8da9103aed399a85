#pragma once
/// Decides whether work-items are faster if they go along rows of memory together instead of each along its own column,
/// and whether other code can see the order in which they run.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// A quick test, for any function: false if goes_across_rows can be true for none of its loops.
bool may_go_across_rows(llvm::Function& work_item);

struct row_facts {
  const lane_shapes& lanes;    ///< shapes for consecutive work-items
  std::uint64_t items;         ///< the number of work-items that go along a row together
  std::int64_t far_apart;      ///< least distance of iterations, in bytes: prefetchers can follow smaller steps
  /// Whether rows that follow each other in memory count, too, if they are not too short. They form one long row, which
  /// a single vector would read with gaps.
  bool follow_each_other = false;
};

/// Whether a value is the number of work-items in a row of the group.
bool is_row_length(const llvm::Value* value);

/// Takes a loop as prepare_for_lanes leaves it. Returns true if
/// - accesses are side by side for lanes, and far apart from iteration to iteration;
/// - no access goes along a row that only one work-item reads, because such a row would be in the caches;
/// - other rows of work-items do not read the same rows again, as they do in a product of matrices;
/// - stores of different work-items lie apart, or add up integers whose old value is not used.
bool goes_across_rows(const llvm::Loop& loop, const row_facts& row);

/// Whether the block has effects that change if it runs more often than the program says.
bool has_effects(const llvm::BasicBlock& block);

}  // namespace sinter::passes
