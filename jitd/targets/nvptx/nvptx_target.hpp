#pragma once
/// NVIDIA GPUs as a compilation target.

#include "targets/device_code.hpp"

namespace sinter::jit {

/// `module` holds the kernel and what it reaches; the request's target is one of these GPUs. Refuses
/// kernels that can run on the host only, naming what they need.
llvm::Expected<device_code> lower_to_ptx(llvm::Module& module, const kernel_facts& kernel,
                                      const abi::jit_request& request);

}  // namespace sinter::jit
