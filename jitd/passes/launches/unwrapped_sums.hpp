#pragma once
/// Indices of 32 bits may wrap. In `i * n + j` of type `unsigned`, or if LLVM has split a sum, neighbours in j need not
/// be neighbours in memory, and every access is a gather. In most launches no index wraps.
///
/// Input: a work-item function. Ids and arguments are values, not memory.
/// Output: the sums, products and narrowed ids of which indices consist do not wrap, and indices are positive, as if
///   they had been written in `int`.

#include "llvm/IR/Function.h"
#include "passes/lanes/number_bounds.hpp"

namespace sinter::passes {

struct unwrapped_sums {
  /// The condition under which no index wraps, as a value of the early function. Null if there is no such index, or
  /// only ones about which nothing is known beforehand; then nothing was changed.
  llvm::Value* condition = nullptr;
  bool asks_for_signs = false;  ///< whether the condition tests more than that numbers fit 32 bits, as nearly all do
};

/// Makes sums of the function to which `bounds` belong unwrapped: those in the blocks `within`, or all sums if it is
/// empty.
unwrapped_sums unwrap_sums(llvm::Function& work_item, bounds_finder& bounds,
                           llvm::ArrayRef<llvm::BasicBlock*> within = {});

}  // namespace sinter::passes
