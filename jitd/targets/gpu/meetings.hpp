#pragma once
/// Barriers of all work-groups of a launch, which the driver starts at the same time (root_group).
///
/// One work-item of each block adds to a word in memory (abi::gpu_geometry::meeting): all additions together change its
/// highest bit and leave the other bits unchanged, so that the next barrier, or the next launch, finds it ready.

#include "kernel_entry.hpp"

namespace sinter::jit::gpu {

/// The barrier stands where `builder` is. All work-items of `groups` come here, and each group is a block.
void meet(llvm::IRBuilder<>& builder, llvm::Value* place, const geometry::values& groups);

/// Links the code behind the barriers, behind link_failures. Returns false if there are none.
bool link_meetings(const dialect& its, llvm::Module& module);

}  // namespace sinter::jit::gpu
