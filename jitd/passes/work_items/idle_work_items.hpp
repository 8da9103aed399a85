#pragma once
/// Finds regions in which most work-items have nothing to do, such as regions in which the leader of a group combines
/// values, `if (local id == 0)`.
///
/// Input: a work-item function or a region (barrier_regions.hpp), before it is inlined. It is not changed. The result
/// says whether a work-item whose id along the last dimension is at least `first` has no visible effect. Such a
/// work-item stops at the same barrier as the other work-items, so it need not run. The pass proves it by
/// simplification for such ids.

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// `first` is a power of two.
bool are_idle_from(const llvm::Function& region, llvm::TargetMachine& machine, unsigned dimensions, unsigned first);

} // namespace sinter::passes
