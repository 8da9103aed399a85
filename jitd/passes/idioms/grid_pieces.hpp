#pragma once
/// Handles loops by the step of the whole grid, for (i = global id; i < end; i += global range), that do each iteration
/// for itself. Ids and ranges may also be the program's own products of those of groups. A group would read and write
/// short runs of memory far away from each other. Groups take pieces instead, one behind the other: work-items of a
/// group then follow each other through one long run.
///
/// Input: a work-item function of one dimension as prepare_for_lanes leaves it.
/// Output: the same with another start, step and end of such a loop. Another work-item than before does an iteration,
///   and in another order. Nobody can tell: the kernel accesses no memory but in this loop, an iteration knows only its
///   number, and all of it that is accessed lies apart, or at the same place for one iteration alone. Only the launch
///   shows whether two pointers lead to one piece of memory: code asks there, and all stays as it is if they do.

#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

struct grid_facts {
  bool narrow_ids;    ///< ids are below 2^31
  std::uint64_t row;  ///< work-items of a group, if all launches have that many; else 0
};

/// Returns whether anything has changed. Control flow is as before, analyses of values are out of date.
bool take_grid_in_pieces(llvm::Function& work_item, const lane_analyses& all, const grid_facts& facts);

}  // namespace sinter::passes
