#pragma once
/// A table of the features of each target's devices, made from devices.yaml at build time, and the names of aspects.
/// The CPU device, the tools, and the plugin's check of fixed targets all read this table, so that their results agree.

#include <cstdint>

#include "image_format.hpp"

namespace sinter::abi {

struct aspect_row {
  std::uint32_t number;  ///< value of sycl::aspect
  const char* name;
};

struct target_row {
  const char* name;
  aspect_set aspects;                 ///< the set of bits that aspect_bit returns for the aspects
  std::uint32_t sub_group_sizes[16];  ///< a 0 ends the list
  std::uint32_t max_work_group_size;  ///< number of work-items; 0: not known
  std::uint32_t max_work_item_sizes[3];  ///< number of work-items in each dimension, the fastest last; 0: not known
};

#include <device_table.hpp>

constexpr bool is_same_name(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

/// Returns the value of the sycl::aspect with this name, or 0 if there is none.
constexpr std::uint32_t number_of_aspect(const char* name) {
  for (const aspect_row& each : aspect_table) {
    if (is_same_name(each.name, name)) return each.number;
  }
  return 0;
}

/// A target for which the runtime has devices. If a kernel is compiled for this fixed target, the target's flag is set
/// in the kernel's flags.
struct known_target {
  const char* name;
  std::uint32_t flag;    ///< one bit of kernel_fixed_targets
  std::uint32_t aspect;  ///< the aspect (cpu or gpu) that selects this target in the property fixed_target
};
inline constexpr known_target known_targets[] = {
    {"x86_64", 1u << 8, 1}, {"aarch64", 1u << 14, 1}, {"nvptx64", 1u << 9, 2}};

/// Returns the flag of kernels for the target, or 0 if no known target has that name.
constexpr std::uint32_t flag_of_target(const char* name) {
  for (const known_target& each : known_targets) {
    if (is_same_name(each.name, name)) return each.flag;
  }
  return 0;
}
static_assert((flag_of_target("x86_64") | flag_of_target("aarch64") | flag_of_target("nvptx64")) ==
              kernel_fixed_targets);

/// Returns null if no target has the name.
constexpr const target_row* find_target(const char* name) {
  for (const target_row& each : target_table) {
    if (is_same_name(each.name, name)) return &each;
  }
  return nullptr;
}
static_assert(find_target("x86_64") && find_target("aarch64") && find_target("nvptx64"));

}  // namespace sinter::abi
