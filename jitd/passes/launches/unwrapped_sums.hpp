#pragma once
/// Indices of 32 bits may wrap, for example `i * n + j` of type `unsigned`, or a sum that LLVM has split. If an index
/// may wrap, the elements for j and j + 1 need not be neighbours in memory, so every access of a vector has to be a
/// gather. But in most launches no index wraps.
///
/// Input: a work-item function. Ids and arguments are SSA values.
/// Output: the sums, products and truncated ids in indices are marked as not wrapping, and indices are sign-extended,
///   as if they had been written in `int`.

#include "llvm/IR/Function.h"
#include "passes/lanes/number_bounds.hpp"

namespace sinter::passes {

struct unwrapped_sums {
  /// The condition under which no index wraps, as a value of the early function. If the condition is null, nothing was
  /// changed: there is no such index, or nothing is known about indices before the launch.
  llvm::Value* condition = nullptr;
  bool asks_for_signs = false;  ///< whether the condition also tests that numbers are not negative
};

/// Marks sums as not wrapping: sums in the blocks `within`, or in the whole function if `within` is empty. `bounds`
/// must have been made for `work_item`.
unwrapped_sums unwrap_sums(llvm::Function& work_item, bounds_finder& bounds,
                           llvm::ArrayRef<llvm::BasicBlock*> within = {});

}  // namespace sinter::passes
