#pragma once
/// Limits on the local memory and the work-items of a group that fused code with tiles may use on a device. The limits
/// are in fusion_request::fusion, in the bits above the fusion_flags.

#include <cstdint>

namespace sinter::abi {

struct tile_limits {
  std::uint32_t local_kib = 0;    ///< local memory of a group in KiB, up to 4095
  std::uint32_t group_items = 0;  ///< work-items of a group, up to 4095
};

inline constexpr std::uint32_t tile_limit_bits = 12, most_tile_limit = (1u << tile_limit_bits) - 1;

constexpr std::uint32_t packed(const tile_limits& limits) {
  const auto fitting = [](std::uint32_t number) { return number < most_tile_limit ? number : most_tile_limit; };
  return fitting(limits.local_kib) << 8 | fitting(limits.group_items) << (8 + tile_limit_bits);
}
constexpr tile_limits tile_limits_in(std::uint32_t fusion) {
  return {fusion >> 8 & most_tile_limit, fusion >> (8 + tile_limit_bits)};
}

}  // namespace sinter::abi
