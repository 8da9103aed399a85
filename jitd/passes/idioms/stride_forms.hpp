#pragma once
/// Handles exchanges at distances that change. In l & (s - 1), s is equal for all work-items and in practice a power of
/// two; the expression gives a work-item's position in a run of s (butterflies, bitonic networks, reductions in trees).
/// If a run is at least as long as a vector, lanes access neighbouring places; if it is shorter, they access few
/// vectors. But in code for any s, the distances of lanes are unknown.
///
/// Input: a region as prepare_for_lanes leaves it.
/// Output: the region, in which blocks with such an expression have several forms, and s decides which form runs. There
///   is one for multiples of the number of lanes, one for each smaller power of two, and the unchanged block for other
///   values. Nothing is assumed about s.

#include "passes/lanes/lane_region.hpp"

namespace sinter::passes {

/// InstCombine turns (s - 1) & l into (s + 0x7fffffff) & l if l has no more bits. This function restores s - 1, which
/// passes look for.
void widen_masks(llvm::Function& function);

/// Makes these forms. Returns whether the region had such a block. The result is not simplified.
bool add_stride_forms(lane_region& region);

}  // namespace sinter::passes
