#pragma once
/// Reads and writes bindless images through texture units (abi/texture_abi.hpp), if the device has texture units and
/// the image's record has a texture or surface handle. Otherwise, ordinary code reads and writes the texels
/// (image_sampling.hpp).
///
/// Texture units compute the weights of linear filters with 8 fractional bits.

#include <cstdint>
#include <sinter/abi/texture_abi.hpp>
#include <type_traits>

#include "image_record.hpp"

namespace sycl::inline _V1::detail {

using texture_form = sinter::abi::texture_form;

template <int Dimensions>
inline constexpr texture_form form_of_image = Dimensions == 1   ? texture_form::line
                                              : Dimensions == 2 ? texture_form::plane
                                                                : texture_form::volume;
template <int Dimensions>
inline constexpr texture_form form_of_layers = Dimensions == 1 ? texture_form::lines : texture_form::planes;

template <class T>
inline constexpr std::uint32_t texture_kind_of = static_cast<std::uint32_t>(
    std::is_same_v<T, float>  ? sinter::abi::texture_kind::floats
    : std::is_signed_v<T>     ? sinter::abi::texture_kind::signed_integers
                              : sinter::abi::texture_kind::unsigned_integers);

template <class T, int Channels>
SINTER_DEVICE_INLINE texel<T, Channels> from_words(sinter_texel_words words) noexcept {
  texel<T, Channels> result;
  for (int i = 0; i < Channels; ++i) result.channel[i] = __builtin_bit_cast(T, static_cast<std::uint32_t>(words[i]));
  return result;
}

/// Whether texture units should read the image. If handles differ between work-items and the texels have addresses,
/// ordinary code reads the texels instead.
SINTER_DEVICE_INLINE bool has_texture(const image_record& image) noexcept {
  const image_traits traits = image.layout.traits;
  const bool named = __sinter_texture_units() && traits.has_texture() &&
                     (!traits.has_addresses() || __sinter_texture_alike(image.texture));
  return __builtin_expect(named, true);
}
SINTER_DEVICE_INLINE bool has_surface(const image_record& image) noexcept {
  return __sinter_texture_units() && image.layout.traits.has_surface();
}

template <texture_form Form, class T, int Channels>
SINTER_DEVICE_INLINE texel<T, Channels> sample_texture(const image_record& image, float x, float y, float z,
                                                       std::uint32_t layer) noexcept {
  return from_words<T, Channels>(__sinter_texture_sample(image.texture, static_cast<std::uint32_t>(Form),
                                                         texture_kind_of<T>, x, y, z, layer));
}

/// `z` is the third coordinate, or the number of the layer.
template <texture_form Form, class T, int Channels>
SINTER_DEVICE_INLINE texel<T, Channels> load_surface(const image_record& image, std::int32_t x, std::int32_t y,
                                                     std::int32_t z) noexcept {
  const image_traits traits = image.layout.traits;
  constexpr auto form = static_cast<std::uint32_t>(Form);
  const auto bytes = static_cast<std::uint32_t>(traits.texel_bytes());
  const std::int32_t at = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) * bytes);
  // Texture units take `x` as a byte offset `at`, which might wrap around for an `x` outside the image. So `x` is
  // checked here.
  if (x < 0 || x >= image.layout.extent[0]) return {};
  sinter_texel_words words{};
  switch (bytes) {
    case 1: words = __sinter_texture_load(image.surface, form, 1, at, y, z); break;
    case 2: words = __sinter_texture_load(image.surface, form, 2, at, y, z); break;
    case 4: words = __sinter_texture_load(image.surface, form, 4, at, y, z); break;
    case 8: words = __sinter_texture_load(image.surface, form, 8, at, y, z); break;
    default: words = __sinter_texture_load(image.surface, form, 16, at, y, z); break;
  }
  alignas(16) unsigned char texel_bytes[16];
  __builtin_memcpy(texel_bytes, &words, sizeof(words));
  return scaled(load_unscaled<T, Channels>(texel_bytes, traits), traits);
}

template <texture_form Form, class T, int Channels>
SINTER_DEVICE_INLINE void store_surface(const image_record& image, std::int32_t x, std::int32_t y, std::int32_t z,
                                        const texel<T, Channels>& value) noexcept {
  const image_traits traits = image.layout.traits;
  constexpr auto form = static_cast<std::uint32_t>(Form);
  const auto bytes = static_cast<std::uint32_t>(traits.texel_bytes());
  const std::int32_t at = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) * bytes);
  if (x < 0 || x >= image.layout.extent[0]) return;
  alignas(16) unsigned char texel_bytes[16] = {};
  store_texel<T, Channels>(texel_bytes, traits, value);
  sinter_texel_words words;
  __builtin_memcpy(&words, texel_bytes, sizeof(words));
  switch (bytes) {
    case 1: return __sinter_texture_store(image.surface, form, 1, at, y, z, words);
    case 2: return __sinter_texture_store(image.surface, form, 2, at, y, z, words);
    case 4: return __sinter_texture_store(image.surface, form, 4, at, y, z, words);
    case 8: return __sinter_texture_store(image.surface, form, 8, at, y, z, words);
    default: return __sinter_texture_store(image.surface, form, 16, at, y, z, words);
  }
}

template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> sample_record(const image_record& image,
                                                      const float (&at)[Dimensions]) noexcept {
  if (has_texture(image)) {
    return sample_texture<form_of_image<Dimensions>, T, Channels>(image, at[0], at[Dimensions > 1 ? 1 : 0],
                                                                  at[Dimensions - 1], 0);
  }
  return sample_texels<T, Channels, Dimensions>(image.view(), at);
}

template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> sample_record_layer(const image_record& image, const float (&at)[Dimensions],
                                                            std::uint32_t layer) noexcept {
  if (has_texture(image)) {
    return sample_texture<form_of_layers<Dimensions>, T, Channels>(image, at[0], at[Dimensions - 1], 0, layer);
  }
  return sample_texels<T, Channels, Dimensions>(image.layer(static_cast<std::int32_t>(layer)), at);
}

template <class T, int Channels>
SINTER_DEVICE_INLINE texel<T, Channels> sample_record_cube(const image_record& image, float x, float y,
                                                           float z) noexcept {
  if (has_texture(image)) return sample_texture<texture_form::cube, T, Channels>(image, x, y, z, 0);
  const cube_place place = find_on_cube(x, y, z);
  return sample_texels<T, Channels, 2>(image.layer(place.face), place.at);
}

/// Textures with mip levels have normalized coordinates only.
template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> sample_record_level(const image_record& image, const float (&at)[Dimensions],
                                                            float level) noexcept {
  if (has_texture(image)) {
    float place[3] = {};
    for (int d = 0; d < Dimensions; ++d) {
      place[d] = image.layout.traits.is_normalized() ? at[d] : at[d] / static_cast<float>(image.layout.extent[d]);
    }
    return from_words<T, Channels>(
        __sinter_texture_level(image.texture, static_cast<std::uint32_t>(form_of_image<Dimensions>), texture_kind_of<T>,
                               place[0], place[1], place[2], level));
  }
  return sample_level<T, Channels, Dimensions>(image, at, level);
}

template <class T>
SINTER_DEVICE_INLINE texel<T, 4> gather_record(const image_record& image, const float (&at)[2],
                                               std::uint32_t channel) noexcept {
  if (has_texture(image) && !image.layout.traits.has_addresses()) {
    constexpr std::uint32_t kind = texture_kind_of<T>;
    const std::uint32_t last = image.layout.traits.channels() - 1;
    switch (channel < last ? channel : last) {
      case 0: return from_words<T, 4>(__sinter_texture_gather(image.texture, kind, 0, at[0], at[1]));
      case 1: return from_words<T, 4>(__sinter_texture_gather(image.texture, kind, 1, at[0], at[1]));
      case 2: return from_words<T, 4>(__sinter_texture_gather(image.texture, kind, 2, at[0], at[1]));
      default: return from_words<T, 4>(__sinter_texture_gather(image.texture, kind, 3, at[0], at[1]));
    }
  }
  return gather_texels<T>(image.view(), at, channel);
}

template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> fetch_record(const image_record& image,
                                                     const std::int32_t (&at)[Dimensions]) noexcept {
  if (has_surface(image)) {
    return load_surface<form_of_image<Dimensions>, T, Channels>(image, at[0], at[Dimensions > 1 ? 1 : 0],
                                                                at[Dimensions - 1]);
  }
  return fetch_texel<T, Channels, Dimensions>(image.view(), at);
}
template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> fetch_record_layer(const image_record& image,
                                                           const std::int32_t (&at)[Dimensions],
                                                           std::uint32_t layer) noexcept {
  if (has_surface(image)) {
    return load_surface<form_of_layers<Dimensions>, T, Channels>(image, at[0], at[Dimensions - 1],
                                                                 bounded_index(static_cast<std::int32_t>(layer),
                                                                               image.layers));
  }
  return fetch_texel<T, Channels, Dimensions>(image.layer(static_cast<std::int32_t>(layer)), at);
}

template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE void write_record(const image_record& image, const std::int32_t (&at)[Dimensions],
                                       const texel<T, Channels>& value) noexcept {
  if (has_surface(image)) {
    return store_surface<form_of_image<Dimensions>, T, Channels>(image, at[0], at[Dimensions > 1 ? 1 : 0],
                                                                 at[Dimensions - 1], value);
  }
  const image_view view = image.view();
  write_texel<T, Channels, Dimensions>(const_cast<unsigned char*>(view.data), view, at, value);
}
template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE void write_record_layer(const image_record& image, const std::int32_t (&at)[Dimensions],
                                             std::uint32_t layer, const texel<T, Channels>& value) noexcept {
  if (layer >= static_cast<std::uint32_t>(image.layers)) return;
  if (has_surface(image)) {
    return store_surface<form_of_layers<Dimensions>, T, Channels>(image, at[0], at[Dimensions - 1],
                                                                  static_cast<std::int32_t>(layer), value);
  }
  const image_view view = image.layer(static_cast<std::int32_t>(layer));
  write_texel<T, Channels, Dimensions>(const_cast<unsigned char*>(view.data), view, at, value);
}

}  // namespace sycl::detail
