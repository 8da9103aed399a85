#pragma once
/// Allocates device_globals in the memory of devices with drivers, when a kernel or a copy first uses them.

#include <cstdint>

#include "device.hpp"

namespace sinter {

/// Returns the address of the variable on the device. Throws sycl::exception if the allocation fails.
void* global_memory(device_backend& device, const void* variable, std::uint64_t bytes);

/// Returns abi::gpu_geometry::globals for a launch whose `code` is set, or null if the kernel uses no device_globals.
/// The caller has called `hold` for the kernel.
const void* table_of_globals(device_backend& device, const kernel_launch& launch);

}  // namespace sinter
