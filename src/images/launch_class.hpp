#pragma once
/// Properties of launches on which code may rely, besides the machine.

#include <abi/image_format.hpp>
#include <abi/launch_abi.hpp>
#include <bit>
#include <cstdint>
#include <string>

namespace sinter {

/// Devices decide which classes they distinguish (device_backend::class_of). The class is part of every key.
struct launch_class {
  constexpr launch_class() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most devices distinguish launches only by the width of ids.
  constexpr launch_class(abi::id_width width) : ids(width) {}

  abi::id_width ids = abi::id_width::bits_64;
  bool no_offset = false;  ///< launches have no global offset
  /// The grid does not have the range's shape (abi::gpu_target). In SPIR-V, the grid of a range kernel is larger than
  /// the range, and work-items beyond the range in gpu_geometry do nothing.
  bool folded = false;
  bool turns = false;      ///< blocks take several groups (abi::gpu_target)
  bool disjoint = false;   ///< no two accessors of a launch reach the same memory

  friend constexpr bool operator==(const launch_class& a, const launch_class& b) noexcept {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }

  /// Returns the text for keys. It lacks the width of ids, which keys have among the compiler's options.
  std::string text() const {
    return std::string(no_offset ? " no offset" : "") + (folded ? " folded" : "") + (turns ? " turns" : "") +
           (disjoint ? " disjoint" : "");
  }
};
static_assert(sizeof(launch_class) == sizeof(std::uint64_t));

}  // namespace sinter
