#pragma once
/// Handles loops in which a group's work-items number the elements of a tile, and compute row and column from the
///   number: for (i = linear local id; i < end; i += group size) tile[i] = in[(y0 + i / width) * pitch + x0 + i %
///   width]; The elements for a vector of such numbers may lie in two rows of `in`, so a vector would need divisions
///   and gathers. If the group's work-items go along the rows of the tile instead, all lanes of a vector have the same
///   row, and neighbouring places in the row, as if the loop had been written in two dimensions.
///
/// Input: a work-item function with barriers as prepare_for_lanes leaves it, its shapes for all work-items of a group,
///   and the group's size.
/// Output: the function with two loops in place of each such loop: one over rows, and one along each row. Another
///   work-item than before does an iteration. The program can't notice: an iteration depends only on its number, reads
///   no memory that the loop writes, and writes to a place in local memory to which no other iteration writes. Barriers
///   are added if accesses in front of the loop or behind it could notice the change.

#include <array>
#include <cstdint>

#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// A quick test of whether there may be such loops.
bool may_number_tiles(const llvm::Function& work_item);

/// Returns whether anything has changed; the analyses are out of date then. `local_range` is that of all launches.
bool take_tiles_by_rows(llvm::Function& work_item, const lane_analyses& all,
                        const std::array<std::uint64_t, 3>& local_range);

}  // namespace sinter::passes
