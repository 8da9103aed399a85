#pragma once
/// NVIDIA GPUs as a compilation target.

#include <abi/launch_abi.hpp>
#include <string>

#include "input/kernel_image.hpp"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// abi::gpu_code, with what it refers to.
struct ptx_code {
  std::string text, entry;
  abi::local_range block;
  std::uint64_t scratch_bytes_per_item;
};

/// `module` holds the kernel and what it reaches; the request's target is a GPU. Refuses kernels that can run on the
/// host only, naming what they need.
llvm::Expected<ptx_code> lower_to_ptx(llvm::Module& module, const kernel_facts& kernel,
                                      const abi::jit_request& request);

}  // namespace sinter::jit
