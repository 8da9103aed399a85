#pragma once
/// Makes barriers at which all work-groups of a launch wait for each other (root_group). The driver starts all these
/// groups at the same time.
///
/// One work-item of each block adds to a word in memory (abi::gpu_geometry::meeting). The first block adds so much that
/// all additions together change only the word's highest bit. The blocks wait for this change. So the word is ready for
/// the next barrier and the next launch.

#include "kernel_entry.hpp"

namespace sinter::jit::gpu {

/// Makes the barrier at the place of `builder`. All work-items of `groups` must reach the barrier, and each group must
/// be a block.
void meet(llvm::IRBuilder<>& builder, llvm::Value* place, const geometry::values& groups);

/// Links the functions that barriers call. Must run after link_failures. Returns false if the module has no barrier.
bool link_meetings(const dialect& its, llvm::Module& module);

}  // namespace sinter::jit::gpu
