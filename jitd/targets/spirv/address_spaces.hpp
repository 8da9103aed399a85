#pragma once
/// Gives pointers address spaces, because each pointer of SPIR-V has one.

#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

inline constexpr unsigned private_space = 0, global_space = 1, local_space = 3, generic_space = 4;

/// Input: pointers that may lead to any memory are of address space 0.
/// Output: these pointers are generic. Variables of the module are global, allocas and arguments by value are private,
/// and casts make them generic. Functions are replaced by new functions with the same names. The function returns the
/// replacement of `entry`.
llvm::Function* name_address_spaces(llvm::Module& module, llvm::Function& entry);

}  // namespace sinter::jit::spirv
