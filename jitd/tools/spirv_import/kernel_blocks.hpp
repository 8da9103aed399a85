#pragma once
/// Kernels as OpenCL has them become kernels of an argument block, as the device ABI has them.

#include <capture/device_module.hpp>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::import {

struct imported_kernel {
  std::string name;
  std::vector<abi::image_leaf> leaves;  ///< one for each argument, then one for each array of its own in local memory
  std::uint64_t block_size = 0, block_alignment = 16;
  std::uint32_t required_work_group_size[3] = {};  ///< as image_kernel
  std::uint32_t required_sub_group_size = 0;
  bool needs_groups = false;
};

/// The module has OpenCL's kernels, and the bodies of all functions that they call except those of the device ABI.
/// Afterwards its only functions are the kernels, each `void(ptr block)` with all it calls inlined. An error names the
/// kernel and the problem.
llvm::Expected<std::vector<imported_kernel>> make_kernel_blocks(llvm::Module& module);

}  // namespace sinter::import
