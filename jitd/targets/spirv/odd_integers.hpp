#pragma once
/// Integers of widths that SPIR-V does not have (i24, i33): LLVM's target rounds them up and forgets to cut what lies
/// above.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Input: integers of 64 bits at most. Output: they have 1, 8, 16, 32 or 64. Refuses what can't be said in these.
llvm::Error widen_odd_integers(llvm::Function& function);

}  // namespace sinter::jit::spirv
