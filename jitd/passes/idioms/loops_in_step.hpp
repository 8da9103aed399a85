#pragma once
/// Handles loops that start at a work-item's own place and go on by a step that all share: histograms, and grid-stride
/// loops of CUDA's users. Otherwise a work-item would go through all of its strides, each in another line of the
/// caches, before the next one begins. With a barrier at the end of each iteration, the work-items of a group read
/// neighbouring memory instead. If they need not meet, they still continue together as long as all of them continue: no
/// lane needs a mask then.
///
/// Input: a work-item function as prepare_for_lanes leaves it, its shapes for all work-items that meet.
/// Output: the same with a second form of such loops in front of them: as long as all work-items of the group take part
///   in an iteration, they do it before any of them begins the next one. The rest runs as before. Work-items have no
///   order, so a barrier that all of them reach changes nothing. Only loops that count in local memory and carry
///   nothing of a work-item's own but where it is, and loops across rows (loop_accesses.hpp) that carry little.

#include <vector>

#include "passes/lanes/lane_shapes.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// for (index = start; index < bound; index += step), of each work-item.
struct counted_loop {
  llvm::Loop* loop;
  llvm::PHINode* index;
  llvm::Value *step, *bound;
  llvm::CmpInst::Predicate predicate;  ///< the loop continues while this holds
  llvm::BasicBlock* inside;            ///< behind the header
  bool counts;                         ///< in local memory
  bool meets = true;                   ///< work-items meet behind each iteration; else they only go on alike
};

struct step_request {
  const lane_shapes* lanes = nullptr;  ///< shapes for consecutive work-items; null: they do not matter
  std::uint64_t items = 0;             ///< how many work-items a row has
  bool in_rows = false;                ///< work-items of a row meet, not those of a group
  bool fits_registers = false;         ///< registers hold a float of each work-item that meets
};

std::vector<counted_loop> find_counted_loops(const llvm::LoopInfo& loops, const lane_shapes& all,
                                             const step_request& request);

void walk_in_step(const std::vector<counted_loop>& loops, const lane_shapes& all, const step_request& request);

}  // namespace sinter::passes
