#pragma once
/// Whether work-items do better when they go along rows of memory together than each down its column, and whether it is
/// seen which of them came first.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "passes/lanes/lane_shapes.hpp"

namespace sinter::passes {

/// False where no loop of a function can be such a one, whatever is found out about it. Seen at once, in any function.
bool may_go_across_rows(llvm::Function& work_item);

struct row_facts {
  const lane_shapes& lanes;    ///< shapes for work-items that follow each other
  std::uint64_t items;         ///< work-items that go together
  std::int64_t far_apart;  ///< bytes from iteration to iteration: what is closer a prefetcher fetches along the loop
};

/// Takes a loop as prepare_for_lanes leaves it. True where
/// - accesses are side by side for lanes, and far apart from iteration to iteration;
/// - none goes along a row of each work-item's own, which would be in the caches;
/// - rows are not those that other rows of work-items read again (a product of matrices: their neighbours share it);
/// - what work-items write lies apart, or is added up as integers whose old value nobody asks for.
bool goes_across_rows(const llvm::Loop& loop, const row_facts& row);

}  // namespace sinter::passes
