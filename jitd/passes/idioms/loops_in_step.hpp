#pragma once
/// Handles loops that start at a work-item's own position and have a step that all work-items share: histograms, and
/// grid-stride loops. Without this pass, a work-item runs all of its iterations, each in a different cache line, before
/// the next work-item begins. With a barrier at the end of each iteration, the work-items of a group read neighbouring
/// memory instead. If a barrier is not worthwhile, the pass only adds a loop that runs as long as all work-items
/// continue. In this loop, no lane needs a mask. If work-items keep values, such as sums, there is a barrier only after
/// every eighth iteration, as in common_loops.hpp.
///
/// Input: a work-item function after prepare_for_lanes, and its shapes for all work-items that will meet at the
///   barriers.
/// Output: the function with another loop in front of each such loop. The new loop runs the iterations in which all
///   work-items of the group take part: all finish an iteration before any of them begins the next one. The old loop
///   runs the remaining iterations. Work-items have no order, so a barrier that all of them reach changes no result.
///   The pass changes loops that count in local memory and carry only the loop counter, and loops across rows
///   (loop_accesses.hpp) that carry few values.

#include <vector>

#include "passes/lanes/lane_shapes.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// A loop for (index = start; index < bound; index += step) of each work-item.
struct counted_loop {
  llvm::Loop* loop;
  llvm::PHINode* index;
  llvm::Value *step, *bound;
  llvm::CmpInst::Predicate predicate;  ///< the loop continues while this holds
  llvm::BasicBlock* inside;            ///< the block that the header enters while the loop continues
  bool counts;                         ///< whether work-items count in local memory
  /// Whether a barrier follows each iteration. Otherwise the new loop has no barrier.
  bool meets = true;
  bool follows = false;    ///< whether the row of the next iteration begins where this row ends
  std::uint32_t rows = 1;  ///< iterations between two meetings
};

struct step_request {
  const lane_shapes* lanes = nullptr;  ///< shapes for consecutive work-items; null if they do not matter
  std::uint64_t items = 0;             ///< the number of work-items in a row
  bool in_rows = false;                ///< whether barriers are for the work-items of a row instead of a group
};

std::vector<counted_loop> find_counted_loops(const llvm::LoopInfo& loops, const lane_shapes& all,
                                             const step_request& request);

void walk_in_step(const std::vector<counted_loop>& loops, const lane_shapes& all, const step_request& request);

}  // namespace sinter::passes
