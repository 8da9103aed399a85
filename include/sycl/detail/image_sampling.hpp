#pragma once
/// Functions that read images, for kernels and the host: they find the texels for coordinates and filter between texels
/// (OpenCL C 8.2).
///
/// Infinite coordinates and NaN never lead to accesses outside the image, because indices are clamped before they are
/// used.

#include <cstddef>
#include <cstdint>

#include "export.hpp"
#include "image_texels.hpp"
#include "math_libm.hpp"

namespace sycl::inline _V1::detail {

/// The layout of an image's texels in its memory. Dimensions that the image lacks have an extent of 1. Pitches count
/// bytes.
struct image_layout {
  std::int32_t extent[3] = {1, 1, 1};
  image_traits traits;
  std::size_t row_pitch = 0, slice_pitch = 0;

  /// Returns the byte offset of a texel, which must be inside the image.
  SINTER_DEVICE_INLINE std::size_t offset(std::int32_t x, std::int32_t y, std::int32_t z) const noexcept {
    // CPUs execute gather instructions with indices of 32 bits twice as fast as gather instructions with indices of 64
    // bits.
    if (traits.is_small()) {
      const std::uint32_t distance = static_cast<std::uint32_t>(z) * static_cast<std::uint32_t>(slice_pitch) +
                                     static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(row_pitch) +
                                     static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(traits.texel_bytes());
      return static_cast<std::size_t>(static_cast<std::int32_t>(distance));
    }
    return static_cast<std::size_t>(z) * slice_pitch + static_cast<std::size_t>(y) * row_pitch +
           static_cast<std::size_t>(x) * traits.texel_bytes();
  }
};
struct image_view : image_layout {
  const unsigned char* data;
  SINTER_DEVICE_INLINE image_view(const image_layout& layout, const unsigned char* its_data) noexcept
      : image_layout(layout), data(its_data) {}
};

/// The two texels along one dimension between which a filter interpolates. Without a filter, only the first one is
/// used.
struct texel_places {
  std::int32_t first, second;
  float weight;  ///< the weight of the second texel, from 0 to 1
  bool first_is_outside, second_is_outside;
};

SINTER_DEVICE_INLINE std::int32_t bounded_index(std::int32_t index, std::int32_t extent) noexcept {
  const std::int32_t low = index > 0 ? index : 0;
  return low < extent - 1 ? low : extent - 1;
}

/// Finds two texels if `linear`, otherwise one texel.
SINTER_DEVICE_INLINE texel_places find_texels(float coordinate, std::int32_t extent, texel_addressing mode,
                                              bool is_normalized, bool linear) noexcept {
  float position = coordinate;
  const bool repeats = mode == texel_addressing::repeat && is_normalized;
  if (is_normalized) {
    if (repeats) position = coordinate - sycl::floor(coordinate);
    if (mode == texel_addressing::mirrored_repeat) {
      position = sycl::fabs(coordinate - 2.0f * sycl::rint(0.5f * coordinate));
    }
    position = position * static_cast<float>(extent);
  }
  if (linear) position = position - 0.5f;
  // A coordinate that is NaN becomes -limit.
  constexpr float limit = 0x1p30f;
  position = position > -limit ? position : -limit;
  position = position < limit ? position : limit;
  const float below = sycl::floor(position);
  texel_places result;
  std::int32_t first = static_cast<std::int32_t>(below), second = first + 1;
  result.weight = position - below;
  if (repeats) {
    if (linear && first < 0) first += extent;
    if (first > extent - 1) first -= extent;
    if (second > extent - 1) second -= extent;
  }
  result.first = bounded_index(first, extent);
  result.second = bounded_index(second, extent);
  const bool has_border = mode == texel_addressing::clamp;
  result.first_is_outside = has_border && first != result.first;
  result.second_is_outside = has_border && second != result.second;
  return result;
}

/// Reads a texel. Outside the image, all channels are zero. The caller has to scale normalized channels: see unscaled
/// (image_texels.hpp).
template <class T, int Channels>
SINTER_DEVICE_INLINE texel<T, Channels> texel_or_border(const image_view& image, std::int32_t x, std::int32_t y,
                                                        std::int32_t z, bool is_outside) noexcept {
  texel<T, Channels> result = load_unscaled<T, Channels>(image.data + image.offset(x, y, z), image.traits);
  for (int i = 0; i < Channels; ++i) result.channel[i] = is_outside ? T(0) : result.channel[i];
  return result;
}

template <class T, int Channels>
SINTER_DEVICE_INLINE void add_weighted(texel<T, Channels>& sum, const texel<T, Channels>& value,
                                       float weight) noexcept {
  for (int i = 0; i < Channels; ++i) sum.channel[i] += value.channel[i] * weight;
}

/// Samples the image at one coordinate per dimension, with the sampler in the image's traits. Images of integers are
/// never filtered.
template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> sample_texels(const image_view& image,
                                                      const float (&coordinates)[Dimensions]) noexcept {
  const image_traits traits = image.traits;
  const bool linear = std::is_same_v<T, float> && traits.is_linear();
  texel_places at[3] = {{0, 0, 0, false, false}, {0, 0, 0, false, false}, {0, 0, 0, false, false}};
  for (int d = 0; d < Dimensions; ++d) {
    at[d] = find_texels(coordinates[d], image.extent[d], traits.addressing(d), traits.is_normalized(), linear);
  }
  if (!linear) {
    const bool is_outside = at[0].first_is_outside || at[1].first_is_outside || at[2].first_is_outside;
    return scaled(texel_or_border<T, Channels>(image, at[0].first, at[1].first, at[2].first, is_outside), traits);
  }
  texel<T, Channels> sum{};
  if constexpr (std::is_same_v<T, float>) {
    for (int corner = 0; corner < 1 << Dimensions; ++corner) {
      float weight = 1;
      bool is_outside = false;
      std::int32_t place[3] = {0, 0, 0};
      for (int d = 0; d < Dimensions; ++d) {
        const bool is_second = (corner >> d & 1) != 0;
        const float part = is_second ? at[d].weight : 1.0f - at[d].weight;
        weight = d == 0 ? part : weight * part;
        place[d] = is_second ? at[d].second : at[d].first;
        is_outside |= is_second ? at[d].second_is_outside : at[d].first_is_outside;
      }
      add_weighted(sum, texel_or_border<T, Channels>(image, place[0], place[1], place[2], is_outside), weight);
    }
  }
  return scaled(sum, traits);
}

/// Returns one channel of the four texels that a linear filter would read. The order of the four texels is that of
/// CUDA's tex2Dgather: left and right of the second row, then right and left of the first row. If the image lacks the
/// channel, uses the last channel of the image.
template <class T>
SINTER_DEVICE_INLINE texel<T, 4> gather_texels(const image_view& image, const float (&coordinates)[2],
                                               std::uint32_t channel) noexcept {
  const image_traits traits = image.traits;
  texel_places at[2];
  for (int d = 0; d < 2; ++d) {
    at[d] = find_texels(coordinates[d], image.extent[d], traits.addressing(d), traits.is_normalized(), true);
  }
  const std::uint32_t bounded = channel < traits.channels() ? channel : traits.channels() - 1;
  const image_view part(image, image.data + bounded * traits.channel_size());
  texel<T, 4> result;
  for (int i = 0; i < 4; ++i) {
    const bool right = i == 1 || i == 2, below = i < 2;
    const bool is_outside = (right ? at[0].second_is_outside : at[0].first_is_outside) ||
                            (below ? at[1].second_is_outside : at[1].first_is_outside);
    const auto read = texel_or_border<T, 1>(part, right ? at[0].second : at[0].first,
                                            below ? at[1].second : at[1].first, 0, is_outside);
    result.channel[i] = scaled(read, traits).channel[0];
  }
  return result;
}

/// Reads the texel at integer coordinates; a texel outside the image has only zeros.
template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> fetch_texel(const image_view& image,
                                                    const std::int32_t (&coordinates)[Dimensions]) noexcept {
  std::int32_t at[3] = {0, 0, 0};
  bool is_outside = false;
  for (int d = 0; d < Dimensions; ++d) {
    at[d] = bounded_index(coordinates[d], image.extent[d]);
    is_outside |= at[d] != coordinates[d];
  }
  return scaled(texel_or_border<T, Channels>(image, at[0], at[1], at[2], is_outside), image.traits);
}

/// Writes a texel. Does nothing if the texel is outside the image.
template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE void write_texel(unsigned char* data, const image_layout& image,
                                      const std::int32_t (&coordinates)[Dimensions],
                                      const texel<T, Channels>& value) noexcept {
  std::int32_t at[3] = {0, 0, 0};
  for (int d = 0; d < Dimensions; ++d) {
    at[d] = coordinates[d];
    if (at[d] < 0 || at[d] >= image.extent[d]) return;
  }
  store_texel<T, Channels>(data + image.offset(at[0], at[1], at[2]), image.traits, value);
}

}  // namespace sycl::detail
