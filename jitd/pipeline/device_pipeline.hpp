#pragma once
/// Lowers a kernel from device IR to code for devices with a driver of their own.

#include "targets/device_code.hpp"

namespace sinter::jit {

/// `module` has the kernel and the code it reaches; the request names the target. Refuses kernels that can run on the
/// host only. If the target can't express a construct, the error names the construct.
llvm::Expected<device_code> lower_for_device(llvm::Module& module, const kernel_facts& kernel,
                                             const abi::jit_request& request);

/// Whether the device takes machine code of a GPU. Otherwise the code is SPIR-V, for any device of the driver.
bool is_code_of_gpu(const abi::gpu_target& device);
/// The number of bytes that a launch passes by value in addition to the block of arguments.
std::uint64_t geometry_bytes(const abi::gpu_target& device);

}  // namespace sinter::jit
