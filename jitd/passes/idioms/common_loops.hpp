#pragma once
/// Handles loops in which each work-item goes down a column of memory, for the same number of iterations: for (row...)
/// sum += data[row * width + id]. Without this pass, one vector of work-items runs its whole loop before the next
/// vector begins, so each iteration accesses another cache line than the previous iteration, and usually another page.
/// With a barrier after every few iterations, all work-items of a group read the rows of these iterations before a
/// work-item goes on.
///
/// Input: a work-item function, its shapes for all work-items that will meet at the barriers, and its shapes for the
///   lanes of a vector.
/// Output: the function with a barrier after every few iterations of such loops. Work-items between two barriers may
/// run in any order. So an additional barrier that all work-items reach changes no result, if no work-item can observe
/// which work-item ran first (loop_accesses.hpp). The pass changes loops across rows that have more than a few
/// iterations and keep few values from one iteration to the next.

#include <vector>

#include "llvm/IR/PassManager.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

// The number of rows that are visited together. Caches and prefetchers can handle this number of rows at a time. A
// value that a work-item keeps across the barriers is stored and loaded only once for these rows. A value that several
// rows load stays in a register. If there are no such values and loads, a barrier after each row is faster: a kernel of
// square roots takes 2.4 ms with a barrier after each row, and 3.1 ms with a barrier after every eight rows.
inline constexpr std::uint32_t rows_at_once = 8;

struct common_loop {
  llvm::BasicBlock *header, *before, *latch;
  std::uint32_t rows;  ///< iterations between two barriers
};

/// `all` has shapes for all work-items that meet at a barrier, and `lanes` has shapes for `items` consecutive
/// work-items.
std::vector<common_loop> find_common_loops(llvm::Function& work_item, const lane_analyses& all,
                                           const lane_shapes& lanes, std::uint64_t items,
                                           llvm::FunctionAnalysisManager& analyses);

/// Adds a barrier to the loop. The barrier runs once after every `rows` iterations.
void meet_in_loop(const common_loop& loop);

}  // namespace sinter::passes
