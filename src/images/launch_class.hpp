#pragma once
/// Properties of a launch that its code may take for granted.

#include <abi/image_format.hpp>
#include <abi/launch_abi.hpp>
#include <bit>
#include <cstdint>
#include <string>

namespace sinter {

/// Each backend decides which classes of launches it distinguishes (device_backend::class_of). The class is part of
/// every key.
struct launch_class {
  constexpr launch_class() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most devices distinguish launches only by the width of ids.
  constexpr launch_class(abi::id_width width) : ids(width) {}

  abi::id_width ids = abi::id_width::bits_64;
  bool no_offset = false;  ///< launches have no global offset
  /// The shape of the grid differs from the shape of the range (abi::gpu_target). In SPIR-V, the grid of a range kernel
  /// is larger than the range. Work-items outside the range in gpu_geometry do nothing.
  bool folded = false;
  bool turns = false;      ///< a block runs several groups, one after the other (abi::gpu_target)
  bool disjoint = false;   ///< no two accessors of a launch reach the same memory

  friend constexpr bool operator==(const launch_class& a, const launch_class& b) noexcept {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }

  /// Returns the text of this class for keys. The width of ids is left out, because keys contain this width among the
  /// compile options.
  std::string text() const {
    return std::string(no_offset ? " no offset" : "") + (folded ? " folded" : "") + (turns ? " turns" : "") +
           (disjoint ? " disjoint" : "");
  }
};
static_assert(sizeof(launch_class) == sizeof(std::uint64_t));

}  // namespace sinter
