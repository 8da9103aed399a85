#pragma once
/// Drivers that take SPIR-V report values. These functions compute device facts from the values.

#include <abi/gpu_launch.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

/// Limit for the size of a group in each dimension. Programs use smaller sizes; most_group_items limits the product of
/// the sizes.
inline constexpr std::size_t most_group_size = 1u << 16;

/// Returns the largest number of work-items in a group. Group functions must be able to exchange a value of 16 bytes
/// for each work-item, which takes six times 16 bytes of local memory for each work-item (sycl/detail/group_slots.hpp).
/// Drivers for CPUs offer a number of work-items that is too large for their local memory, so the function reduces this
/// number. The function does not change the numbers that drivers for GPUs offer.
inline std::uint32_t most_group_items(std::size_t offered, std::uint64_t local_memory_bytes) {
  constexpr std::size_t usual = 1024, bytes_of_item = 6 * 16;
  const std::size_t exchanged = std::max<std::size_t>(usual, std::bit_floor(local_memory_bytes / bytes_of_item));
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(offered, 1, std::min(most_group_size, exchanged)));
}

/// Returns the sizes in ascending order, without sizes that the device ABI does not allow. If no size is left, the
/// result is {1}: each work-item is a sub-group then.
inline std::vector<std::size_t> known_sub_group_sizes(std::vector<std::size_t> sizes) {
  std::erase_if(sizes, [](std::size_t size) { return size == 0 || size > 64 || (size & (size - 1)) != 0; });
  std::sort(sizes.begin(), sizes.end());
  return sizes.empty() ? std::vector<std::size_t>{1} : sizes;
}

/// Returns the sub-group size for kernels that require no size. The result is 16, the vector length of most devices, or
/// the largest size if the device does not have 16.
inline std::uint32_t usual_sub_group_size(const std::vector<std::size_t>& sizes) {
  constexpr std::size_t wanted = 16;
  if (std::find(sizes.begin(), sizes.end(), wanted) != sizes.end()) return wanted;
  return static_cast<std::uint32_t>(sizes.back());
}

/// Returns the target's name for version 1.`minor` of SPIR-V, the newest that both driver and library support. `minor`
/// is 0 to 4.
inline std::string spirv_target(int minor) {
  return abi::spirv_target_name + (minor < 4 ? "v1." + std::to_string(minor) : std::string());
}

}  // namespace sinter
