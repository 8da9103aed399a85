#pragma once
/// Finds regions in which most work-items have nothing to do. For example, only the leader of a group combines values
/// in a region with `if (local id == 0)`.
///
/// Input: a work-item function or a region (barrier_regions.hpp), before it is inlined. The pass does not change the
/// function. The result says whether work-items whose local id in the last dimension is at least `first` have no
/// visible effect. Such a work-item stops at the same barrier as the other work-items, so it need not run. To prove
/// that there is no effect, the pass simplifies a copy of the region for such ids.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// `first` is a power of two.
bool are_idle_from(const llvm::Function& region, llvm::TargetMachine& machine, unsigned dimensions, unsigned first);

} // namespace sinter::passes
