#pragma once
/// Finds the arguments of a fused kernel through its members' argument blocks.

#include <string>

#include "fusion_metadata.hpp"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

struct argument_load {
  llvm::LoadInst* load;
  fusion_argument from;
};

/// Finds loads of leaves at constant offsets. `fused` is the simplified output of fuse_kernels.
std::vector<argument_load> find_argument_loads(llvm::Function& fused);

/// Makes all members use the load of the first member that loads an identical argument. Returns this load for each set,
/// or null if no member uses the pointer.
std::vector<llvm::LoadInst*> merge_identical_arguments(llvm::Function& fused, const fusion_description& description);

/// A member may use an argument of the set without a load: it may copy a part of its argument block, or pass the part
/// on. Describes the first such use. The result is empty if there is no such use.
std::string find_hidden_use(llvm::Function& fused, const identical_set& set);

/// Replaces a load by a constant if the loaded bytes are constant according to the description.
void propagate_constants(llvm::Function& fused, const fusion_description& description);

} // namespace sinter::passes
