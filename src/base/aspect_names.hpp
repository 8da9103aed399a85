#pragma once
/// Names of aspects for messages and tools.

#include <abi/device_targets.hpp>
#include <array>
#include <cstddef>
#include <iterator>

#include <sycl/aspects.hpp>

namespace sinter {

struct aspect_name {
  sycl::aspect which;
  const char* name;
};

/// Names of all enumerators of sycl::aspect.
inline constexpr auto aspect_names = [] {
  std::array<aspect_name, std::size(abi::aspect_table)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = {static_cast<sycl::aspect>(abi::aspect_table[i].number), abi::aspect_table[i].name};
  }
  return names;
}();

static_assert(static_cast<std::uint32_t>(sycl::aspect::fp16) == abi::aspect_fp16 &&
              static_cast<std::uint32_t>(sycl::aspect::fp64) == abi::aspect_fp64 &&
              static_cast<std::uint32_t>(sycl::aspect::atomic64) == abi::aspect_atomic64);

} // namespace sinter
