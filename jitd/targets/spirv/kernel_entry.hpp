#pragma once
/// The `spir_kernel` around a kernel.

#include <abi/launch_abi.hpp>

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

/// The kernel is inlined into the entry, and gone. `local_range`: zeros if not known. `sub_group_size`: 0 if it
/// does not matter. `block_in_memory`: abi::gpu_code_block_in_memory.
kernel_entry make_entry(llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                        const abi::local_range& local_range, unsigned sub_group_size, bool linear_groups,
                        bool block_in_memory);

}  // namespace sinter::jit::spirv
