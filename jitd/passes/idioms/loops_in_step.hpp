#pragma once
/// Handles loops that start at a work-item's own position and have a step that all work-items share: histograms, and
/// grid-stride loops. Otherwise a work-item would go through all of its iterations, each in another line of the caches,
/// before the next one begins. With a barrier at the end of each iteration, the work-items of a group read neighbouring
/// memory instead. If a barrier does not gain, work-items still continue together as long as all of them continue, so
/// that no lane needs a mask then.
///
/// Input: a work-item function as prepare_for_lanes leaves it, and its shapes for all work-items that meet.
/// Output: the function with a second form in front of each such loop. As long as all work-items of the group take part
///   in an iteration, they finish it before any of them begins the next one. The remaining iterations run as before.
///   Work-items have no order, so a barrier that all of them reach changes nothing. The pass takes loops that count in
///   local memory and carry only the work-item's counter, and loops across rows (loop_accesses.hpp) that carry few
///   values.

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
  /// Whether work-items meet after each iteration; else they only continue together.
  bool meets = true;
};

struct step_request {
  const lane_shapes* lanes = nullptr;  ///< shapes for consecutive work-items; null if they do not matter
  std::uint64_t items = 0;             ///< the number of work-items in a row
  bool in_rows = false;                ///< whether the work-items of a row meet, instead of those of a group
  bool fits_registers = false;         ///< whether registers can hold a float of each work-item that meets
};

std::vector<counted_loop> find_counted_loops(const llvm::LoopInfo& loops, const lane_shapes& all,
                                             const step_request& request);

void walk_in_step(const std::vector<counted_loop>& loops, const lane_shapes& all, const step_request& request);

}  // namespace sinter::passes
