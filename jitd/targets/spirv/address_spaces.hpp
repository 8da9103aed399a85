#pragma once
/// Where pointers lead: SPIR-V has no pointers that don't say it.

#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

inline constexpr unsigned private_space = 0, global_space = 1, local_space = 3, generic_space = 4;

/// Input: pointers that may lead anywhere are of address space 0.
/// Output: these are generic; variables of the module are global, allocas and arguments by value private, with casts.
/// Functions are others from now on, of the same names; the one that takes the place of `entry` is returned.
llvm::Function* name_address_spaces(llvm::Module& module, llvm::Function& entry);

}  // namespace sinter::jit::spirv
