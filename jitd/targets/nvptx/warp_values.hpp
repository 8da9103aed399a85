#pragma once
/// Simplifies values that the work-items of a warp exchange, if only some work-items use the result. For example, only
/// the first work-item uses a reduction's result. So it does not matter what the other work-items add up, and these
/// work-items need not test whether there is a value to add.

#include <abi/local_range.hpp>

#include "llvm/IR/Function.h"

namespace sinter::jit::nvptx {

/// Input: the simplified entry of a kernel for groups of one size.
/// Output: a selection or shuffle is removed if all work-items that use its result get the same operand. GPUs of
/// `generation` 80 and later have an instruction that combines 32-bit integers of a warp. On these GPUs, the
/// instruction replaces the steps of a reduction of such integers. Kernels for groups that do not consist of whole
/// warps are not changed.
void simplify_warp_values(llvm::Function& entry, const abi::local_range& block, unsigned generation);

}  // namespace sinter::jit::nvptx
