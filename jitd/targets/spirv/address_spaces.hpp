#pragma once
/// Gives pointers address spaces, because all pointers of SPIR-V have one.

#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

inline constexpr unsigned private_space = 0, global_space = 1, local_space = 3, generic_space = 4;

/// Input: pointers that may lead anywhere are of address space 0. Output: all pointers are generic; variables of the
/// module are global, allocas and arguments by value are private, with casts. Functions are replaced by new ones with
/// the same names; the replacement of `entry` is returned.
llvm::Function* name_address_spaces(llvm::Module& module, llvm::Function& entry);

}  // namespace sinter::jit::spirv
