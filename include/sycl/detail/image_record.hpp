#pragma once
/// A bindless image's handle points to a record in device memory. The record describes the image, its layers or mip
/// levels, and its sampler. This header defines the record, and the functions that use the record to read images.

#include <cstddef>
#include <cstdint>

#include "export.hpp"
#include "image_sampling.hpp"
#include "math_libm.hpp"

namespace sycl::inline _V1::detail {

/// The largest possible number of mip levels.
inline constexpr unsigned most_image_levels = 31;

/// The functions that return a view clear the bit for small images (image_traits::is_small): neighbouring work-items
/// may have handles of different images, and would take different branches if the bit were set for only some of these
/// images.
struct image_record {
  image_layout layout;  ///< the layout of each layer; in a mip map, the layout of level 0
  /// Null if only texture units reach the texels.
  const unsigned char* data = nullptr;
  /// The driver's handles: `texture` for sampling, `surface` for reads and writes of texels. 0 means that there is
  /// none.
  std::uint64_t texture = 0, surface = 0;
  std::int32_t layers = 1, levels = 1;
  std::uint64_t layer_pitch = 0;
  float least_level = 0, most_level = 0;
  /// The mip levels lie in memory one after the other without gaps. Each level has half the extents of the level before
  /// it.
  std::uint64_t level_offset[most_image_levels] = {};

  SINTER_DEVICE_INLINE static const image_record& of(std::uint64_t handle) noexcept {
    return *reinterpret_cast<const image_record*>(handle);
  }
  SINTER_DEVICE_INLINE image_view view() const noexcept { return view_of(data); }
  SINTER_DEVICE_INLINE image_view layer(std::int32_t which) const noexcept {
    return view_of(data + static_cast<std::uint64_t>(bounded_index(which, layers)) * layer_pitch);
  }
  SINTER_DEVICE_INLINE image_view level(std::int32_t which) const noexcept {
    const std::int32_t bounded = bounded_index(which, levels);
    image_view result = view_of(data + level_offset[bounded]);
    for (std::int32_t& extent : result.extent) {
      extent >>= bounded;
      extent = extent > 1 ? extent : 1;
    }
    if (bounded != 0) {
      result.row_pitch = static_cast<std::size_t>(result.extent[0]) * layout.traits.texel_bytes();
      result.slice_pitch = static_cast<std::size_t>(result.extent[1]) * result.row_pitch;
    }
    return result;
  }

private:
  SINTER_DEVICE_INLINE image_view view_of(const unsigned char* texels) const noexcept {
    image_view result(layout, texels);
    result.traits = layout.traits.small(false);
    return result;
  }
};

/// Interpolates between two mip levels if the sampler is linear between levels; otherwise reads the nearest level.
template <class T, int Channels, int Dimensions>
SINTER_DEVICE_INLINE texel<T, Channels> sample_level(const image_record& image, const float (&coordinates)[Dimensions],
                                                     float level) noexcept {
  level = level > image.least_level ? level : image.least_level;
  level = level < image.most_level ? level : image.most_level;
  const bool linear = image.layout.traits.has_linear_levels();
  const float place = linear ? level : level + 0.5f;
  const float below = sycl::floor(place > 0 ? (place < 1000 ? place : 1000.0f) : 0.0f);
  const auto first = static_cast<std::int32_t>(below);
  texel<T, Channels> result = sample_texels<T, Channels, Dimensions>(image.level(first), coordinates);
  if constexpr (std::is_same_v<T, float>) {
    const float weight = level - below;
    if (linear && weight > 0) {
      const texel<T, Channels> next = sample_texels<T, Channels, Dimensions>(image.level(first + 1), coordinates);
      for (int i = 0; i < Channels; ++i) {
        result.channel[i] = (1.0f - weight) * result.channel[i] + weight * next.channel[i];
      }
    }
  }
  return result;
}

/// Returns the mip level at which the coordinates of neighbouring work-items are one texel apart. `dx` and `dy` are the
/// changes of the coordinates.
template <int Dimensions>
SINTER_DEVICE_INLINE float level_of_gradients(const image_record& image, const float (&dx)[Dimensions],
                                              const float (&dy)[Dimensions]) noexcept {
  float along_x = 0, along_y = 0;
  for (int d = 0; d < Dimensions; ++d) {
    const float scale = image.layout.traits.is_normalized() ? static_cast<float>(image.layout.extent[d]) : 1.0f;
    along_x += dx[d] * scale * (dx[d] * scale);
    along_y += dy[d] * scale * (dy[d] * scale);
  }
  const float longest = along_x > along_y ? along_x : along_y;
  return longest > 0 ? 0.5f * sycl::log2(longest) : 0.0f;
}

/// The point where a ray from the cube's centre meets the surface of the cube: the number of the face (+x, -x, +y, -y,
/// +z, -z), and coordinates from 0 to 1 on this face.
struct cube_place {
  std::int32_t face;
  float at[2];
};
SINTER_DEVICE_INLINE cube_place find_on_cube(float x, float y, float z) noexcept {
  const float size_x = sycl::fabs(x), size_y = sycl::fabs(y), size_z = sycl::fabs(z);
  cube_place result;
  float across = 0, down = 0, size = 0;
  if (size_x >= size_y && size_x >= size_z) {
    result.face = x < 0 ? 1 : 0;
    size = size_x, across = x < 0 ? z : -z, down = -y;
  } else if (size_y >= size_z) {
    result.face = y < 0 ? 3 : 2;
    size = size_y, across = x, down = y < 0 ? -z : z;
  } else {
    result.face = z < 0 ? 5 : 4;
    size = size_z, across = z < 0 ? -x : x, down = -y;
  }
  result.at[0] = 0.5f * (across / size + 1.0f);
  result.at[1] = 0.5f * (down / size + 1.0f);
  return result;
}

}  // namespace sycl::detail
