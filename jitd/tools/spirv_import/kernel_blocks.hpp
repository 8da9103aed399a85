#pragma once
/// Turns OpenCL's kernels, which have a list of arguments, into kernels of the device ABI, which have an argument
/// block.

#include <capture/device_module.hpp>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::import {

struct imported_kernel {
  std::string name;
  /// One leaf describes each argument. After these, one leaf describes each array that the kernel itself has in local
  /// memory.
  std::vector<abi::image_leaf> leaves;
  std::uint64_t block_size = 0, block_alignment = 16;
  std::uint32_t required_work_group_size[3] = {};  ///< as in image_kernel
  std::uint32_t required_sub_group_size = 0;
  bool needs_groups = false;
};

/// The module has OpenCL's kernels, and the bodies of all functions that they call except those of the device ABI.
/// Afterwards, the kernels are the module's only functions. Each kernel is a `void(ptr block)` with all functions that
/// it calls inlined. An error names the kernel and the problem.
llvm::Expected<std::vector<imported_kernel>> make_kernel_blocks(llvm::Module& module);

}  // namespace sinter::import
