#pragma once
/// Decides whether a loop is faster if work-items go along rows of memory together, instead of each down its own
/// column. Also decides whether other work-items could observe this change of order.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// A quick test for any function. Returns false if goes_across_rows would return false for all loops of the function.
bool may_go_across_rows(llvm::Function& work_item);

struct row_facts {
  const lane_shapes& lanes;    ///< shapes for consecutive work-items
  std::uint64_t items;         ///< the number of work-items that go along a row together
  std::int64_t far_apart;      ///< least step per iteration, in bytes: prefetchers can follow smaller steps
  /// Whether to accept loops whose rows directly follow each other in memory, if the rows are not too short. Together
  /// these rows are one long row. A single vector would read parts of this long row, with gaps in between.
  bool follow_each_other = false;
};

/// Whether a value is the number of work-items in a row of the group.
bool is_row_length(const llvm::Value* value);

/// The loop's function must have been prepared by prepare_for_lanes. Returns true if
/// - lanes access neighbouring elements, and iterations access elements far apart from each other;
/// - no access goes along a row that only one work-item reads, because such a row stays in the caches;
/// - rows of memory are not read again by other rows of work-items (in a matrix product, rows are read again);
/// - different work-items store to different addresses, or update integers by atomic operations whose result is not
///   used.
bool goes_across_rows(const llvm::Loop& loop, const row_facts& row);

/// Whether the block has side effects, which would change the program's results if the block ran once more.
bool has_effects(const llvm::BasicBlock& block);

}  // namespace sinter::passes
