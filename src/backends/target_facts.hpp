#pragma once
/// Copies a row of the table of targets into device_facts.

#include <abi/device_targets.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter {

inline std::vector<std::uint32_t> aspects_of(const abi::target_row& target) {
  std::vector<std::uint32_t> result;
  for (const abi::aspect_row& each : abi::aspect_table) {
    if (target.aspects.has(each.number)) result.push_back(each.number);
  }
  return result;
}

inline std::vector<std::size_t> sub_group_sizes_of(const abi::target_row& target) {
  std::vector<std::size_t> result;
  for (const std::uint32_t each : target.sub_group_sizes) {
    if (each != 0) result.push_back(each);
  }
  return result;
}

}  // namespace sinter
