#pragma once
/// Integers of widths that SPIR-V does not have (i24, i33): LLVM's target rounds them up and does not clear the bits
/// above.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Input: integers of 64 bits at most. Output: integers have 1, 8, 16, 32 or 64 bits. Refuses operations that these
/// widths can't express.
llvm::Error widen_odd_integers(llvm::Function& function);

}  // namespace sinter::jit::spirv
