#pragma once
/// Exchanges at distances that change. In l & (s - 1), s is equal for all work-items and in practice a power of two;
/// the expression gives a work-item's position in a run of s (butterflies, bitonic networks, reductions in trees). If a
/// run is as long as a vector or longer, lanes lie side by side; if it is shorter, they lie within few vectors. But in
/// code for any s, their distances differ from lane to lane.
///
/// Input: a region as prepare_for_lanes leaves it.
/// Output: the same where blocks with such an expression have several forms, and s says which one runs: one for
///   multiples of the number of lanes, one for each power of two below, and the unchanged block for all others. Nothing
///   is assumed of s.

#include "passes/lanes/lane_region.hpp"

namespace sinter::passes {

/// InstCombine turns (s - 1) & l into (s + 0x7fffffff) & l, if l has no more bits. This restores s - 1, which passes
/// look for.
void widen_masks(llvm::Function& function);

/// Makes these forms. Returns whether there was such a block; the result is not simplified.
bool add_stride_forms(lane_region& region);

}  // namespace sinter::passes
