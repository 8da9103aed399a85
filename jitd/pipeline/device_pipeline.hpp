#pragma once
/// The way of a kernel from device IR to code for devices with a driver of their own.

#include "targets/device_code.hpp"

namespace sinter::jit {

/// `module` has the kernel and the code it reaches; the request names the target. Refuses kernels that can run on the
/// host only, and constructs that the target can't express, by name.
llvm::Expected<device_code> lower_for_device(llvm::Module& module, const kernel_facts& kernel,
                                             const abi::jit_request& request);

/// Whether the code is a GPU's own; otherwise it is SPIR-V, for any device of the driver.
bool is_code_of_gpu(const abi::gpu_target& device);
/// Bytes that a launch hands over by value beside the block of arguments.
std::uint64_t geometry_bytes(const abi::gpu_target& device);

}  // namespace sinter::jit
