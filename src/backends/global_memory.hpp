#pragma once
/// device_globals in the memory of devices with drivers, made when a kernel or a copy first uses them.

#include <cstdint>

#include "device.hpp"

namespace sinter {

/// The address of the variable on the device. Throws sycl::exception: no memory.
void* global_memory(device_backend& device, const void* variable, std::uint64_t bytes);

/// abi::gpu_geometry::globals for a launch that has its code. The caller holds the kernel's image. Null: it uses none.
const void* table_of_globals(device_backend& device, const kernel_launch& launch);

}  // namespace sinter
