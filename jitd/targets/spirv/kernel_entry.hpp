#pragma once
/// Makes the `spir_kernel` around a kernel.

#include <abi/launch_abi.hpp>
#include <vector>

#include "input/kernel_image.hpp"
#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

struct kernel_entry {
  llvm::Function* function;
  llvm::Argument* block;
  llvm::Argument* geometry;  ///< points to abi::gpu_geometry
  llvm::Argument* local;     ///< points to the group's memory: scratch, then local accessors
  llvm::Argument* failure;   ///< points to abi::gpu_failure
};

/// Makes the entry, into which the kernel is inlined. The kernel is removed. `local_range` is zeros if not known.
/// `sub_group_size` is 0 if it does not matter. `block_in_memory` is abi::gpu_code_block_in_memory. `pointers` are the
/// places of pointers in the block. Each of these pointers has an argument of its own, and the block holds the
/// pointer's distance from this argument. `is_padded` says that the range in the geometry is smaller than the launched
/// range. Work-items beyond the geometry's range do nothing.
kernel_entry make_entry(llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                        const abi::local_range& local_range, unsigned sub_group_size, bool linear_groups,
                        bool block_in_memory, bool is_padded, llvm::ArrayRef<std::uint32_t> pointers);

/// Removes the arguments for `pointers` that the simplified entry does not read, and removes their places from
/// `pointers`. A new function then replaces the entry.
void drop_unused_pointers(kernel_entry& entry, std::vector<std::uint32_t>& pointers);

}  // namespace sinter::jit::spirv
