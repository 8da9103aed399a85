#pragma once
/// Handles grid-stride loops, for (i = global id; i < end; i += global range), whose iterations are independent of each
/// other. The program may also compute ids and ranges from group ids and group ranges. Without this pass, a group reads
/// and writes short parts of memory that are far away from each other. With this pass, each group processes one
/// contiguous piece of the range, so its work-items go through one long part of memory together.
///
/// Input: a work-item function of one dimension after prepare_for_lanes.
/// Output: the function with another start, step and end of such a loop. Iterations run in other work-items than in
///   the program's loop, and in another order. The program can't observe this: the kernel accesses memory only in this
/// loop, and an iteration depends only on its number and accesses no memory that another iteration writes. Before the
/// kernel runs, it is unknown whether two pointers lead to the same memory. So the kernel tests this, and the loop
///   keeps its old start, step and end if two pointers lead to the same memory.

#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

struct grid_facts {
  bool narrow_ids;    ///< whether ids are below 2^31
  std::uint64_t row;  ///< the number of work-items of a group, if it is the same in all launches; else 0
};

/// Returns true if the function has changed. If the function has changed, analyses of values are outdated, but control
/// flow is unchanged.
bool take_grid_in_pieces(llvm::Function& work_item, const lane_analyses& all, const grid_facts& facts);

}  // namespace sinter::passes
