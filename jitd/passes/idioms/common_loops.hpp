#pragma once
/// Loops that all work-items run alike, down columns of memory: for (row...) sum += data[row * width + id]. One vector
/// of work-items after the other would go down, in each iteration to another line and mostly another page. Where they
/// meet behind each few iterations, those of a group go along these few rows side by side instead.
///
/// Input: a work-item function, its shapes for all work-items that meet, and for the lanes of a vector.
/// Output: a barrier behind every few iterations of such loops. Work-items have no order between two barriers, so one
///   more that all of them reach changes nothing, as long as it is not seen which one came first: what they write lies
///   apart, and atomics add up integers whose old value nobody asks for. Chosen are loops in which
///   - accesses are side by side for lanes, and a line or more apart from iteration to iteration,
///   - none goes along a row of each work-item's own, which would be in the caches,
///   - rows are not those that other rows of work-items read again (a product of matrices: their neighbours share it),
///   - there are more than a few iterations, and little is kept from one to the next.

#include <vector>

#include "llvm/IR/PassManager.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// False where no loop of a function can be such a one, whatever is found out about it. Seen at once, in any function.
bool may_go_down_columns(llvm::Function& work_item);

struct common_loop {
  llvm::BasicBlock *header, *before, *latch;
};

/// `all`: of all work-items that meet; `lanes`: of those that follow each other.
std::vector<common_loop> find_common_loops(llvm::Function& work_item, const lane_analyses& all,
                                           const lane_shapes& lanes, llvm::FunctionAnalysisManager& analyses);

void meet_in_common_loops(const std::vector<common_loop>& loops);

}  // namespace sinter::passes
