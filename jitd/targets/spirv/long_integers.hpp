#pragma once
/// Replaces integers of 65 to 128 bits, which SPIR-V does not have. They occur in upper halves of products, sums in
/// closed form, and copies of 16 bytes at once.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Output: each such integer is two words of 64 bits. Refuses divisions of such integers. Longer integers are refused
/// in all instructions.
llvm::Error split_long_integers(llvm::Function& function);

/// Makes the error for an instruction with integers of a width that SPIR-V does not have.
llvm::Error refuse_integers(const llvm::Instruction& instruction);

}  // namespace sinter::jit::spirv
