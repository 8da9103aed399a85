#pragma once
/// Computes an index in 64 bits if the program adds up the index's parts in 32 bits, such as data[i * n + j] with `int`
/// numbers. The language guarantees that such sums do not wrap, but only in work-items that use these sums. If lane 0
/// may be inactive, the sum in lane 0 may wrap. The indices of the other lanes are then not lane 0's index plus a
/// constant, so each access would be a gather. In 64 bits, no lane's sum wraps, and the part of the sum that is equal
/// for a row can be computed separately.
///
/// Input: a work-item function during or after prepare_for_lanes.
/// Output: sums that do not wrap and are sign-extended from 32 to 64 bits become sums of extended numbers. The pass
///   changes a sum only if each of its operands is equal in all lanes or grows by a constant from lane to lane. Other
///   sums would need vectors of 64-bit numbers. The new sums have no flags such as nsw, and equal the old sums
///   wherever the old sums are defined. An `or` of 64-bit numbers without common bits becomes a sum as well, for
///   example row | column if the row length is a power of two.

#include "lane_region.hpp"

namespace sinter::passes {

/// Whether the instruction sign-extends a 32-bit sum that does not wrap.
bool is_index_sum(const llvm::Instruction& instruction);

void sum_indices_in_64_bits(lane_region& region);

}  // namespace sinter::passes
