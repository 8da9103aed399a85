#pragma once
/// SPIR-V for drivers of OpenCL, by LLVM's own target.

#include <string>

#include "targets/device_code.hpp"

namespace sinter::jit {

bool is_spirv(const abi::gpu_target& target);

/// `module` holds the kernel and what it reaches. The text is a module in binary form, of the target's SPIR-V, whose
/// kernel takes what abi/gpu_launch.hpp says. Refuses kernels that can run on the host only, and what SPIR-V has no
/// words for.
llvm::Expected<device_code> lower_to_spirv(llvm::Module& module, const kernel_facts& kernel,
                                           const abi::jit_request& request);

}  // namespace sinter::jit
