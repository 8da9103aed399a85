#pragma once
/// Loops along memory that count in local memory: histograms. A work-item would go through all of its strides, each in
/// another line of the caches, before the next one begins. With a barrier at the end of each iteration the work-items
/// of a group read what lies side by side instead.
///
/// Input: a work-item function with barriers, its shapes for a whole group.
/// Output: the same with a second form of such loops in front of them: as long as all work-items of the group take part
///   in an iteration, they do it before any of them begins the next one. The rest runs as before. Work-items have no
///   order, so a barrier that all of them reach changes nothing. Only loops that carry nothing of a work-item's own but
///   where it is.

#include "passes/lanes/lane_shapes.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Whether there was such a loop.
bool walk_in_step(const llvm::LoopInfo& loops, const lane_shapes& shapes);

}  // namespace sinter::passes
