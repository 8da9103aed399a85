#pragma once
/// Indices of 32 bits may wrap. In `i * n + j` of type `unsigned`, or if LLVM has split sums, neighbours in j need not
/// be neighbours in memory, and every access is a gather. In most launches no index wraps.
///
/// Input: a work-item function; ids and arguments are values, not memory.
/// Output: sums, products and narrowed ids that indices are made of do not wrap, and indices are positive, as if they
///   had been written in `int`.

#include "llvm/IR/Function.h"
#include "passes/lanes/number_bounds.hpp"

namespace sinter::passes {

struct unwrapped_sums {
  /// The condition under which it is true, a value of the early function. Null: there is no such index, or only ones
  /// about which nothing is known beforehand; then nothing was changed.
  llvm::Value* condition = nullptr;
  bool asks_for_signs = false;  ///< not only whether numbers fit 32 bits, as nearly all do
};

/// Writes that into the function that `bounds` belong to. `within`: only into these blocks of it; empty: into all.
unwrapped_sums unwrap_sums(llvm::Function& work_item, bounds_finder& bounds,
                           llvm::ArrayRef<llvm::BasicBlock*> within = {});

}  // namespace sinter::passes
