#pragma once
/// Functions for launches that all devices with drivers use.

#include <abi/gpu_launch.hpp>
#include <cstdint>

#include "device.hpp"

namespace sinter {

/// Sets launch.code to the kernel's code for the device, and sets launch.globals. Compiles the kernel if necessary.
/// Throws sycl::exception if no code can be made for the device. The caller has called `hold` for the kernel.
void find_driver_code(device_backend& device, kernel_launch& launch);

/// The groups that a driver launches. Arrays are in SYCL's order, padded to three dimensions with ones in front.
struct launched_groups {
  std::uint64_t size[3], count[3];
  std::uint64_t items = 1, all = 1;  ///< work-items of one group; number of groups
};
/// Returns the groups of a launch, and fills in `geometry`, from which the code reads range and offset. launch.code
/// must be set. If the kernel has no groups, the driver launches blocks of the size that the code requires
/// (gpu_program::block). Together, the blocks cover the range. Work-items beyond the range do nothing. If the code
/// allows several sizes, blocks are small enough for every compute unit to get a block, if possible.
launched_groups groups_of(const kernel_launch& launch, std::uint64_t compute_units,
                          abi::gpu_geometry& geometry) noexcept;

/// Returns the number of work-items of a group; 1 for kernels without groups.
std::uint64_t items_of_group(const kernel_launch& launch) noexcept;

/// Returns the local memory of a group of `items` work-items, in bytes: scratch memory of group functions, variables of
/// the group, and local accessors.
std::uint64_t local_bytes_of(const kernel_launch& launch, std::uint64_t items) noexcept;
/// Throws if a group needs more local memory than the device has.
void check_local_memory(const device_facts& device, const kernel_launch& launch, std::uint64_t bytes);

/// Returns the size of the launch's argument block, or of all members' blocks together.
std::uint64_t block_bytes(const kernel_launch& launch) noexcept;
/// Copies the argument blocks of fused kernels, one behind the other, to `to`, which has block_bytes() bytes. Returns
/// the number of bytes copied.
std::uint64_t join_blocks(const kernel_launch& launch, char* to) noexcept;

}  // namespace sinter
