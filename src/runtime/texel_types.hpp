#pragma once
/// How channels of image_channel_type lie in memory.

#include <iterator>
#include <optional>

#include <sycl/detail/image_texels.hpp>
#include <sycl/image.hpp>

namespace sycl::inline _V1::detail {

/// Nothing for packed channels, and for numbers that are no type.
constexpr std::optional<texel_type> texel_type_of(image_channel_type type) noexcept {
  constexpr std::optional<texel_type> none;
  constexpr std::optional<texel_type> types[] = {
      texel_type::snorm8, texel_type::snorm16, texel_type::unorm8, texel_type::unorm16, none,
      none,               none,                texel_type::sint8,  texel_type::sint16,  texel_type::sint32,
      texel_type::uint8,  texel_type::uint16,  texel_type::uint32, texel_type::fp16,    texel_type::fp32};
  const auto number = static_cast<unsigned>(type);
  return number < std::size(types) ? types[number] : none;
}

}  // namespace sycl::detail
