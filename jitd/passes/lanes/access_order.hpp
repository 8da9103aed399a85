#pragma once
/// Finds out whether the order of a work-item's accesses to memory matters.
///
/// Loops over work-items are declared parallel (work_item_loops.hpp): no work-item depends on another. LLVM's loop
/// vectorizer concludes too much from this: it also treats the accesses of one work-item as independent of each other.
/// The vectorizer joins accesses with a constant stride: loads move to the first load, and stores to the last store. So
/// the loop must not be declared parallel if a work-item reads and writes the same memory through two pointers, or
/// overwrites a part of its own results.

#include "llvm/Analysis/AliasAnalysis.h"
#include "lane_shapes.hpp"

namespace sinter::passes {

/// A quick test, which does not compare addresses: returns false if no access can follow a store.
bool may_depend_on_order(llvm::Function& work_item);

/// Returns true if LLVM could join an access with others, and thereby move it past another access of the same memory.
/// `prepared` is a work-item function after prepare_for_lanes.
bool depends_on_order(llvm::Function& prepared, const lane_shapes& shapes, const llvm::LoopInfo& loops,
                      llvm::AAResults& aliases);

} // namespace sinter::passes
