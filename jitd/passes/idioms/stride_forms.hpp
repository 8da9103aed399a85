#pragma once
/// Handles exchanges at distances that change at run time. In l & (s - 1), l is a work-item's position, and s is equal
/// for all work-items and in practice a power of two. The expression is then a work-item's position in a run of s
/// work-items (butterflies, bitonic networks, tree reductions). For each s, the accesses of lanes are simple:
/// neighbouring elements if a run is at least as long as a vector, and elements of a few vectors if it is shorter. But
/// in code for any s, the distances between lanes are unknown.
///
/// Input: a region after prepare_for_lanes.
/// Output: the region, in which each block with such an expression has several copies, and branches choose a copy by s.
///   One copy is for multiples of the number of lanes, and one copy for each smaller power of two. The original block
///   runs for all other s, so nothing is assumed about s.

#include "passes/lanes/lane_region.hpp"

namespace sinter::passes {

/// InstCombine turns (s - 1) & l into (s + 0x7fffffff) & l if l has at most 31 bits. This function restores s - 1,
/// because passes look for s - 1.
void widen_masks(llvm::Function& function);

/// Makes the copies that the comment at the beginning describes. Returns true if the region had such a block. The
/// copies are not simplified.
bool add_stride_forms(lane_region& region);

}  // namespace sinter::passes
