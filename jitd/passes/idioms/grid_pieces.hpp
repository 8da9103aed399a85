#pragma once
/// Handles grid-stride loops, for (i = global id; i < end; i += global range), whose iterations are independent of each
/// other. The program may also compute ids and ranges from those of groups. A group would read and write short runs of
/// memory far away from each other. With this pass, each group takes one piece of the range: work-items of a group then
/// go through one long run of memory together.
///
/// Input: a work-item function of one dimension as prepare_for_lanes leaves it.
/// Output: the function with another start, step and end of such a loop. Another work-item than before does an
///   iteration, and in another order. The program can't notice: the kernel accesses memory only in this loop, and an
///   iteration depends only on its number and accesses no place that another iteration writes. Only the launch shows
///   whether two pointers lead to one piece of memory, so code tests this, and the old loop runs if they do.

#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

struct grid_facts {
  bool narrow_ids;    ///< whether ids are below 2^31
  std::uint64_t row;  ///< the number of work-items of a group, if it is the same in all launches; else 0
};

/// Returns whether anything has changed. Analyses of values are out of date then; control flow is unchanged.
bool take_grid_in_pieces(llvm::Function& work_item, const lane_analyses& all, const grid_facts& facts);

}  // namespace sinter::passes
