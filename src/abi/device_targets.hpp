#pragma once
/// A table of the features of each target's devices, made from devices.yaml at build time, and the names of aspects.
/// The CPU device, the plugin's fixed targets and the tools read the same rows, so that they agree.

#include <cstdint>

#include "image_format.hpp"

namespace sinter::abi {

struct aspect_row {
  std::uint32_t number;  ///< value of sycl::aspect
  const char* name;
};

struct target_row {
  const char* name;
  aspect_set aspects;                 ///< aspect_bit of each
  std::uint32_t sub_group_sizes[16];  ///< a 0 ends the list
  std::uint32_t max_work_group_size;  ///< work-items; 0: not known
  std::uint32_t max_work_item_sizes[3];  ///< in each dimension, the fastest last; 0: not known
};

#include <device_table.hpp>

/// A target whose devices the runtime knows; kernels made for it have its flag.
struct known_target {
  const char* name;
  std::uint32_t flag;    ///< kernel_flags
  std::uint32_t aspect;  ///< in the property fixed_target it stands for the target: cpu, gpu
};
inline constexpr known_target known_targets[] = {{"x86_64", kernel_for_x86_64, 1}, {"nvptx64", kernel_for_nvptx64, 2}};
inline constexpr std::uint32_t flags_of_targets = kernel_for_x86_64 | kernel_for_nvptx64;

/// Returns null if no target has the name.
constexpr const target_row* find_target(const char* name) {
  for (const target_row& each : target_table) {
    const char* a = each.name;
    const char* b = name;
    while (*a != '\0' && *a == *b) ++a, ++b;
    if (*a == *b) return &each;
  }
  return nullptr;
}
static_assert(find_target("x86_64") && find_target("nvptx64"));

}  // namespace sinter::abi
