#pragma once
/// Simplifies values that the work-items of a warp exchange, where only some of them use the result: a reduction's
/// result is that of the first one, so the others need not ask whether there is a value to add.

#include <abi/local_range.hpp>

#include "llvm/IR/Function.h"

namespace sinter::jit::nvptx {

/// Input: the entry of a kernel for groups of one size, in simplified form. Output: selections and shuffles whose
/// outcome is the same for all work-items that use it are gone; where the GPU has an instruction that combines 32-bit
/// integers of a warp (`generation` 80 and later), it stands for the steps of such a reduction. Groups that do not
/// consist of whole warps are left alone.
void simplify_warp_values(llvm::Function& entry, const abi::local_range& block, unsigned generation);

}  // namespace sinter::jit::nvptx
