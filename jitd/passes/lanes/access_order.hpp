#pragma once
/// Whether the order matters in which a work-item does its accesses to memory.
///
/// Loops over work-items are declared parallel (work_item_loops.hpp): no work-item depends on another. LLVM's loop
/// vectorizer also concludes that the accesses of one work-item are independent when it joins accesses that lie apart
/// by a constant stride: it loads such a group at its first member and stores it at its last one. So a kernel that
/// works in place through two pointers, or overwrites a part of its own results, must not be declared parallel.

#include "llvm/Analysis/AliasAnalysis.h"
#include "lane_shapes.hpp"

namespace sinter::passes {

/// False at once where no access can follow a store, whatever they access.
bool may_depend_on_order(llvm::Function& work_item);

/// `prepared` as lane_shapes takes it. True if an access that can be in such a group may have to stay in front of or
/// behind another one.
bool depends_on_order(llvm::Function& prepared, const lane_shapes& shapes, const llvm::LoopInfo& loops,
                      llvm::AAResults& aliases);

} // namespace sinter::passes
