#pragma once
/// Parts of launches that all devices with drivers share.

#include <abi/gpu_launch.hpp>
#include <cstdint>

#include "device.hpp"

namespace sinter {

/// Gives the launch its device_globals and the kernel's code for the device, which is made if it is new. Throws
/// sycl::exception where there is none. The caller holds the kernel's image.
void find_driver_code(device_backend& device, kernel_launch& launch);

/// The groups that a driver is told to launch; arrays are padded SYCL order.
struct launched_groups {
  std::uint64_t size[3], count[3];
  std::uint64_t items = 1, all = 1;  ///< work-items of one group; number of groups
};
/// The launch's own groups; it has its code. If a kernel has no groups, they are as large as its code asks for
/// (gpu_program::block) and cover the range; the code leaves out work-items beyond the range. It takes range and offset
/// from `geometry`, which this function fills in, and not from the driver. Where the code leaves the size open, groups
/// are such that there is one for each of the compute units, if possible.
launched_groups groups_of(const kernel_launch& launch, std::uint64_t compute_units,
                          abi::gpu_geometry& geometry) noexcept;

/// Work-items of a group; 1 for kernels without groups.
std::uint64_t items_of_group(const kernel_launch& launch) noexcept;

/// Local memory of a group of `items` work-items: scratch of group functions, then their variables, then local
/// accessors.
std::uint64_t local_bytes_of(const kernel_launch& launch, std::uint64_t items) noexcept;
/// Throws if a group needs more local memory than the device has.
void check_local_memory(const device_facts& device, const kernel_launch& launch, std::uint64_t bytes);

/// The size of the launch's argument block, or of all members' blocks together.
std::uint64_t block_bytes(const kernel_launch& launch) noexcept;
/// The argument blocks of fused kernels, one behind the other in `to`, which has room for block_bytes() of them.
/// How many they are.
std::uint64_t join_blocks(const kernel_launch& launch, char* to) noexcept;

}  // namespace sinter
