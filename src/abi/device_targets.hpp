#pragma once
/// What devices of each target have, made at build time of devices.yaml, and the aspects by name. The CPU device, the
/// plugin's fixed targets and the tools read these rows, so that they can't disagree.

#include <cstdint>

#include "image_format.hpp"

namespace sinter::abi {

struct aspect_row {
  std::uint32_t number;  ///< value of sycl::aspect
  const char* name;
};

struct target_row {
  const char* name;
  std::uint64_t aspects;              ///< aspect_bit of each
  std::uint32_t sub_group_sizes[16];  ///< up to the first 0
  std::uint32_t max_work_group_size;  ///< work-items; 0: not known
  std::uint32_t max_work_item_sizes[3];  ///< in each dimension, the fastest last; 0: not known
};

#include <device_table.hpp>

/// Whose kernels say in their flags that they are for it: the runtime knows its devices.
struct known_target {
  const char* name;
  std::uint32_t flag;    ///< kernel_flags
  std::uint32_t aspect;  ///< that stands for it in the property fixed_target: cpu, gpu
};
inline constexpr known_target known_targets[] = {{"x86_64", kernel_for_x86_64, 1}, {"nvptx64", kernel_for_nvptx64, 2}};
inline constexpr std::uint32_t flags_of_targets = kernel_for_x86_64 | kernel_for_nvptx64;

/// Null: there is none of that name.
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
