#pragma once
/// Masks that live across blocks, in the form the machine has for them.
///
/// Without AVX-512 a mask is a vector of integers as wide as the data, of zeros and minus ones. The code generator knows that
/// within a block; a phi of <8 x i1> it packs into 16-bit elements and back. Runs last: LLVM's passes would undo it.

#include "llvm/IR/Module.h"

namespace sinter::passes {

void widen_mask_phis(llvm::Module& module, unsigned vector_bits);

} // namespace sinter::passes
