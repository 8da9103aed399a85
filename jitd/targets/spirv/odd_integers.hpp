#pragma once
/// Widens integers of widths that SPIR-V does not have (i24, i33). LLVM's target would only round the width up, and
/// would not clear the additional bits.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Input: integers have at most 64 bits. Output: integers have 1, 8, 16, 32 or 64 bits. Refuses operations that these
/// widths can't express.
llvm::Error widen_odd_integers(llvm::Function& function);

}  // namespace sinter::jit::spirv
