#pragma once
/// Whether work-items are faster when they go along rows of memory together instead of each along its own column, and
/// whether other code can see the order in which they come.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// False if no loop of a function can be one of these, whatever further analysis finds. Seen at once, in any function.
bool may_go_across_rows(llvm::Function& work_item);

struct row_facts {
  const lane_shapes& lanes;    ///< shapes for work-items that follow each other
  std::uint64_t items;         ///< work-items that go together
  std::int64_t far_apart;      ///< bytes from iteration to iteration: prefetchers follow the loop if they are fewer
  /// Rows that follow each other in memory count, too, if they are not too short: together they are one long row, which
  /// one vector after the other would read with gaps.
  bool follow_each_other = false;
};

/// Whether a value is the number of work-items in a row of the group.
bool is_row_length(const llvm::Value* value);

/// Takes a loop as prepare_for_lanes leaves it. True where
/// - accesses are side by side for lanes, and far apart from iteration to iteration;
/// - no access goes along a row of each work-item's own, which would be in the caches;
/// - rows are not read again by other rows of work-items (a product of matrices: their neighbours share a row);
/// - stores of different work-items lie apart, or add up integers whose old value is not used.
bool goes_across_rows(const llvm::Loop& loop, const row_facts& row);

/// Whether a block may not run more often than the program says.
bool has_effects(const llvm::BasicBlock& block);

}  // namespace sinter::passes
