#pragma once
/// Integers of 65 to 128 bits, which SPIR-V does not have: upper halves of products, sums that LLVM has in closed form,
/// copies of 16 bytes at once.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Output: two words of 64 bits each. Refuses divisions of them, and longer integers.
llvm::Error split_long_integers(llvm::Function& function);

/// Why an instruction can't be written: SPIR-V has no integers as wide as its own.
llvm::Error refuse_integers(const llvm::Instruction& instruction);

}  // namespace sinter::jit::spirv
