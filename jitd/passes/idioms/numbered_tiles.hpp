#pragma once
/// Handles loops in which all work-items of a group number the elements of a tile through and take the numbers apart:
///   for (i = linear local id; i < end; i += group size) tile[i] = in[(y0 + i / width) * pitch + x0 + i % width];
/// A vector of such numbers lies in two rows of the memory outside, so it would be divided and gathered. If the group's
/// work-items go along the rows of the tile instead, the numbers' parts are a row that a vector shares and neighbours
/// in it, as if the loop had been written in two dimensions.
///
/// Input: a work-item function with barriers as prepare_for_lanes leaves it, its shapes for all work-items of a group,
///   and the group's size.
/// Output: the same with two loops in place of each such loop, over rows and along them. Another work-item than before
///   does an iteration. Nobody can tell: an iteration knows only its number, reads what no iteration writes, and writes
///   to a place in local memory that no other iteration writes to. Barriers are added where accesses in front of the
///   loop or behind it would notice.

#include <array>
#include <cstdint>

#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// Whether there may be such loops: a quick test.
bool may_number_tiles(const llvm::Function& work_item);

/// Returns whether anything has changed; the analyses are out of date then. `local_range`: of all launches.
bool take_tiles_by_rows(llvm::Function& work_item, const lane_analyses& all,
                        const std::array<std::uint64_t, 3>& local_range);

}  // namespace sinter::passes
