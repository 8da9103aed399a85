#pragma once
/// Decides how many neighbouring groups take turns on one thread: each group runs until its next barrier, then the next
/// group runs. This helps groups that go from row to row of memory, if rows are far apart (loop_accesses.hpp).
/// Together, the groups access longer parts of each row, which prefetchers can follow. In groups of 256, sums in
/// grid-stride loops take 1.05 instead of 1.7 ms, and strips of 64 rows 1.75 instead of 9.5 ms (16.8 million floats,
/// two cores of an EPYC with AVX-512).
///
/// Groups have no order, so turns change no results. A program can notice turns in two cases only: if a group waits for
/// another group, or if the output shows the order of groups. Groups of such kernels don't take turns.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Whether groups may take turns. `regions` are those of split_at_barriers.
bool may_take_turns(llvm::ArrayRef<llvm::Function*> regions);

/// Returns how many groups of `items` work-items take turns.
unsigned groups_that_take_turns(std::uint64_t items);

}  // namespace sinter::passes
