#pragma once
/// The `spir_kernel` around a kernel.

#include <abi/launch_abi.hpp>
#include <vector>

#include "input/kernel_image.hpp"
#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

struct kernel_entry {
  llvm::Function* function;
  llvm::Argument* block;
  llvm::Argument* geometry;  ///< abi::gpu_geometry
  llvm::Argument* local;     ///< group scratch, then local accessors
  llvm::Argument* failure;   ///< abi::gpu_failure
};

/// The kernel is inlined into the entry, and gone. `local_range`: zeros if not known. `sub_group_size`: 0 if it does
/// not matter. `block_in_memory`: abi::gpu_code_block_in_memory. `pointers`: places of pointers in the block. Each of
/// these pointers has an argument of its own, and the block holds the distance from it. `is_padded`: the range in the
/// geometry is smaller than what is launched, and work-items beyond it do nothing.
kernel_entry make_entry(llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                        const abi::local_range& local_range, unsigned sub_group_size, bool linear_groups,
                        bool block_in_memory, bool is_padded, llvm::ArrayRef<std::uint32_t> pointers);

/// Leaves out the arguments for `pointers` that the entry, simplified, does not read, and their places. The entry is
/// another function from now on.
void drop_unused_pointers(kernel_entry& entry, std::vector<std::uint32_t>& pointers);

}  // namespace sinter::jit::spirv
