#pragma once
/// The arguments of a fused kernel, found through its members' argument blocks.

#include <string>

#include "fusion_metadata.hpp"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

struct argument_load {
  llvm::LoadInst* load;
  fusion_argument from;
};

/// Loads of leaves at constant offsets. `fused` is the output of fuse_kernels, simplified.
std::vector<argument_load> find_argument_loads(llvm::Function& fused);

/// Identical arguments are loaded once, from the first member that has them. Returns that load for each set; null if no
/// member looks at the pointer.
std::vector<llvm::LoadInst*> merge_identical_arguments(llvm::Function& fused, const fusion_description& description);

/// Describes how members reach an argument of the set besides loading it, through a part of their block that is copied
/// or passed on; empty when they don't.
std::string find_hidden_use(llvm::Function& fused, const identical_set& set);

/// Replaces loads inside the constants of the description by these constants.
void propagate_constants(llvm::Function& fused, const fusion_description& description);

} // namespace sinter::passes
