#pragma once
/// Handles loops that all work-items run alike down columns of memory: for (row...) sum += data[row * width + id]. One
/// vector of work-items after the other would go down the columns, in each iteration to another cache line and mostly
/// to another page. If the work-items of a group meet after every few iterations, they go along these few rows side by
/// side instead.
///
/// Input: a work-item function, its shapes for all work-items that meet, and its shapes for the lanes of a vector.
/// Output: a barrier behind every few iterations of such loops. Between two barriers, work-items may run in any
///   order, so a further barrier that all of them reach changes nothing, as long as no work-item can tell which one ran
///   first (loop_accesses.hpp). The pass takes loops across rows that have more than a few iterations and keep little
///   from one iteration to the next.

#include <vector>

#include "llvm/IR/PassManager.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

struct common_loop {
  llvm::BasicBlock *header, *before, *latch;
  std::uint32_t rows;  ///< iterations between two barriers
};

/// `all` has shapes for all work-items that meet, `lanes` has shapes for `items` consecutive work-items.
std::vector<common_loop> find_common_loops(llvm::Function& work_item, const lane_analyses& all,
                                           const lane_shapes& lanes, std::uint64_t items,
                                           llvm::FunctionAnalysisManager& analyses);

void meet_in_common_loops(const std::vector<common_loop>& loops);

}  // namespace sinter::passes
