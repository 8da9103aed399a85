#pragma once
/// Facts of devices whose drivers take SPIR-V, as these drivers report them.

#include <abi/gpu_launch.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

/// More than anybody asks for; products of them are counted elsewhere.
inline constexpr std::size_t most_group_size = 1u << 16;

/// Work-items of a group: no more than can exchange values of 16 bytes by group functions, which take six places each
/// in local memory (sycl/detail/group_slots.hpp). Drivers for CPUs offer groups for which that is too little. The
/// values of drivers for GPUs stay as they are.
inline std::uint32_t most_group_items(std::size_t offered, std::uint64_t local_memory_bytes) {
  constexpr std::size_t usual = 1024, bytes_of_item = 6 * 16;
  const std::size_t exchanged = std::max<std::size_t>(usual, std::bit_floor(local_memory_bytes / bytes_of_item));
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(offered, 1, std::min(most_group_size, exchanged)));
}

/// In order, without those that the device ABI does not know. {1}: each work-item is one.
inline std::vector<std::size_t> known_sub_group_sizes(std::vector<std::size_t> sizes) {
  std::erase_if(sizes, [](std::size_t size) { return size == 0 || size > 64 || (size & (size - 1)) != 0; });
  std::sort(sizes.begin(), sizes.end());
  return sizes.empty() ? std::vector<std::size_t>{1} : sizes;
}

/// For kernels that require no size: the vector length of most devices.
inline std::uint32_t usual_sub_group_size(const std::vector<std::size_t>& sizes) {
  constexpr std::size_t wanted = 16;
  if (std::find(sizes.begin(), sizes.end(), wanted) != sizes.end()) return wanted;
  return static_cast<std::uint32_t>(sizes.back());
}

/// For the newest SPIR-V that both know: `minor` is 0 to 4.
inline std::string spirv_target(int minor) {
  return abi::spirv_target_name + (minor < 4 ? "v1." + std::to_string(minor) : std::string());
}

}  // namespace sinter
