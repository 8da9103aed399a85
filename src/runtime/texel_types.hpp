#pragma once
/// Converts image_channel_type and image_format to the layout of channels in memory.

#include <iterator>
#include <optional>

#include <sycl/detail/image_texels.hpp>
#include <sycl/image.hpp>

namespace sycl::inline _V1::detail {

/// Returns nullopt for packed channels, and for numbers that are no image_channel_type.
constexpr std::optional<texel_type> texel_type_of(image_channel_type type) noexcept {
  constexpr std::optional<texel_type> none;
  constexpr std::optional<texel_type> types[] = {
      texel_type::snorm8, texel_type::snorm16, texel_type::unorm8, texel_type::unorm16, none,
      none,               none,                texel_type::sint8,  texel_type::sint16,  texel_type::sint32,
      texel_type::uint8,  texel_type::uint16,  texel_type::uint32, texel_type::fp16,    texel_type::fp32};
  const auto number = static_cast<unsigned>(type);
  return number < std::size(types) ? types[number] : none;
}

/// Returns traits without channels for numbers that are no image_format.
constexpr image_traits traits_of_format(image_format format) noexcept {
  switch (format) {
    case image_format::r8g8b8a8_unorm: return {texel_type::unorm8, 4};
    case image_format::r16g16b16a16_unorm: return {texel_type::unorm16, 4};
    case image_format::r8g8b8a8_sint: return {texel_type::sint8, 4};
    case image_format::r16g16b16a16_sint: return {texel_type::sint16, 4};
    case image_format::r32b32g32a32_sint: return {texel_type::sint32, 4};
    case image_format::r8g8b8a8_uint: return {texel_type::uint8, 4};
    case image_format::r16g16b16a16_uint: return {texel_type::uint16, 4};
    case image_format::r32b32g32a32_uint: return {texel_type::uint32, 4};
    case image_format::r16b16g16a16_sfloat: return {texel_type::fp16, 4};
    case image_format::r32g32b32a32_sfloat: return {texel_type::fp32, 4};
    case image_format::b8g8r8a8_unorm: return {texel_type::unorm8, 4, true};
  }
  return {};
}

}  // namespace sycl::detail
