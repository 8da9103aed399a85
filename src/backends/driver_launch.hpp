#pragma once
/// What launches on devices with drivers have alike, whatever the driver.

#include <cstdint>

#include "device.hpp"

namespace sinter {

/// Gives the launch the kernel's code for the device, which is made where it is new, and its device_globals. Throws
/// sycl::exception where there is none. The caller holds the kernel's image.
void find_driver_code(device_backend& device, kernel_launch& launch);

/// Of a group of so many work-items: scratch of group functions, then their variables, then local accessors.
std::uint64_t local_bytes_of(const kernel_launch& launch, std::uint64_t items) noexcept;
/// Throws where a group needs more local memory than the device has.
void check_local_memory(const device_facts& device, const kernel_launch& launch, std::uint64_t bytes);

/// Of the launch's argument block, or of all members' together.
std::uint64_t block_bytes(const kernel_launch& launch) noexcept;
/// The argument blocks of fused kernels, one behind the other in `to`, which has room for block_bytes() of them.
/// How many they are.
std::uint64_t join_blocks(const kernel_launch& launch, char* to) noexcept;

}  // namespace sinter
