#pragma once
/// Handles loops in which a group's work-items number the elements of a tile, and compute row and column from the
/// number:
///
///   for (i = linear local id; i < end; i += group size) tile[i] = in[(y0 + i / width) * pitch + x0 + i % width];
///
/// Consecutive numbers may belong to two rows of `in`, so a vector of work-items would need divisions and gathers. With
/// this pass, the group's work-items go along the rows of the tile, so all lanes of a vector have the same row and
/// neighbouring columns, as if the loop had been written in two dimensions.
///
/// Input: a work-item function with barriers after prepare_for_lanes, its shapes for all work-items of a group, and the
///   group's size.
/// Output: the function with two loops in place of each such loop: one over rows, and one along each row. In these
///   loops, a work-item runs other iterations than in the program's loop. The program can't observe this: an iteration
///   depends only on its number, reads no memory that the loop writes, and writes to an address in local memory to
///   which no other iteration writes. Barriers are added if accesses before or after the loop could observe the change.

#include <array>
#include <cstdint>

#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// A quick test that says whether the function may have such loops.
bool may_number_tiles(const llvm::Function& work_item);

/// Returns true if the function has changed. After a change, the analyses `all` are outdated. `local_range` is the
/// local range of all launches.
bool take_tiles_by_rows(llvm::Function& work_item, const lane_analyses& all,
                        const std::array<std::uint64_t, 3>& local_range);

}  // namespace sinter::passes
