#pragma once
/// Handles exchanges at distances that change at run time. An example is the expression l & (s - 1): l is a work-item's
/// position, and all work-items have the same s, which in practice is a power of two. For such an s, the expression is
/// a work-item's position among s consecutive work-items (butterflies, bitonic networks, tree reductions). For each s,
/// the accesses of lanes are simple: neighbouring elements if s is at least the number of lanes, and elements of a few
/// vectors if s is smaller. But in code for any s, the distances between lanes are unknown.
///
/// Input: a region after prepare_for_lanes.
/// Output: the region, in which each block with such an expression has several copies, and branches choose a copy by s.
///   One copy is for each s that is a multiple of the number of lanes. In addition, there is one copy for each power of
///   two that is smaller than the number of lanes. The original block runs for all other s, so nothing is assumed about
///   s.

#include "passes/lanes/lane_region.hpp"

namespace sinter::passes {

/// InstCombine turns (s - 1) & l into (s + 0x7fffffff) & l if l has at most 31 bits. This function restores s - 1,
/// because passes look for s - 1.
void widen_masks(llvm::Function& function);

/// Makes the copies of blocks that the comment at the top of this file describes. Returns true if the region had such a
/// block. The copies are not simplified.
bool add_stride_forms(lane_region& region);

}  // namespace sinter::passes
