#pragma once
/// Extends indices that are summed up in 32 bits: data[i * n + j] by `int`. The language guarantees that such sums do
/// not wrap, but only in work-items that use them. If lane 0 may be off, its sum tells nothing about the other lanes,
/// and each access would be a gather. In 64 bits, neighbours are neighbours in any case, and the part that is equal for
/// a row can be computed separately.
///
/// Input: a work-item function during or after prepare_for_lanes.
/// Output: sums that do not wrap and are sign-extended from 32 to 64 bits become sums of extended numbers. The pass
///   changes a sum only if each of its numbers is equal in all lanes or counts from lane to lane. Other sums would need
///   vectors of 64 bits. The new sums promise nothing, and equal the old ones wherever these are defined. Numbers of 64
///   bits without common bits, such as a row and a column of a power of two, are added up as well.

#include "lane_region.hpp"

namespace sinter::passes {

/// Whether an instruction widens a sum that does not wrap.
bool is_index_sum(const llvm::Instruction& instruction);

void sum_indices_in_64_bits(lane_region& region);

}  // namespace sinter::passes
