#pragma once
/// The functions of sycl_ext_oneapi_bindless_images for kernels. A handle of a bindless image is a number.
/// bindless_images_memory.hpp declares functions that make image memory, samplers and handles. handler::ext_oneapi_copy
/// copies images.
///
/// T, the type of a texel in a kernel, is a number or a vec with one element per channel. T has elements of type float
/// or half for normalized and floating-point channels. For other channels, the elements of T are integers with or
/// without sign, like the channels. T may also be any trivially copyable type if Hint is a number or a vec of the same
/// size. If the elements of T are integers but the channels are not, T receives the bits of the channels, except when
/// texture units sample the image. The coordinates of a one-dimensional image are a number. The coordinates of a
/// two-dimensional image are a vec of two numbers. The coordinates of a three-dimensional image are a vec of three or
/// four numbers. Reads outside the image return zeros, and writes outside the image do nothing. The texture units of
/// NVIDIA's GPUs round the weights of linear filters to 8 bits. Other devices run the code of
/// detail/image_sampling.hpp. A kernel must not read texels that it writes itself.

#include <cstdint>
#include <type_traits>

#include "../../bit_cast.hpp"
#include "../../detail/image_record.hpp"
#include "../../detail/image_units.hpp"
#include "../../half.hpp"
#include "../../vec.hpp"
#include "bindless_images_interop.hpp"
#include "bindless_images_memory.hpp"

namespace sycl::inline _V1 {
namespace detail {

/// The types in which kernels may read a texel: a number or a vec of numbers.
template <class T>
struct texel_value {
  using element = T;
  static constexpr int count = 1;
  static constexpr bool is_known = std::is_arithmetic_v<T> || std::is_same_v<T, half>;
};
template <class T, int Count>
struct texel_value<vec<T, Count>> {
  using element = T;
  static constexpr int count = Count;
  static constexpr bool is_known = Count <= 4;
};
template <class T, class Hint>
using known_texel = std::conditional_t<texel_value<T>::is_known, T, Hint>;
template <class Known>
using texel_channel = std::conditional_t<
    !std::is_integral_v<typename texel_value<Known>::element>, float,
    std::conditional_t<std::is_signed_v<typename texel_value<Known>::element>, std::int32_t, std::uint32_t>>;
template <class Known>
using texel_of = texel<texel_channel<Known>, texel_value<Known>::count>;

template <class T, class Hint>
SINTER_DEVICE_INLINE T from_texel(const texel_of<known_texel<T, Hint>>& value) noexcept {
  using known = known_texel<T, Hint>;
  using element = typename texel_value<known>::element;
  known result{};
  if constexpr (std::is_same_v<known, element>) {
    result = static_cast<element>(value.channel[0]);
  } else {
    for (int i = 0; i < texel_value<known>::count; ++i) result[i] = static_cast<element>(value.channel[i]);
  }
  if constexpr (std::is_same_v<known, T>) {
    return result;
  } else {
    static_assert(sizeof(T) == sizeof(Hint) && std::is_trivially_copyable_v<T>,
                  "a type of the program's own needs a hint of the same size: fetch_image<T, sycl::float4>");
    return sycl::bit_cast<T>(result);
  }
}
template <class Hint, class T>
SINTER_DEVICE_INLINE auto as_texel(const T& value) noexcept {
  using known = known_texel<T, Hint>;
  texel_of<known> result;
  if constexpr (!std::is_same_v<known, T>) {
    static_assert(sizeof(T) == sizeof(Hint) && std::is_trivially_copyable_v<T>,
                  "a type of the program's own needs a hint of the same size");
    return as_texel<known, known>(sycl::bit_cast<known>(value));
  } else if constexpr (texel_value<known>::count == 1 && std::is_same_v<typename texel_value<known>::element, known>) {
    result.channel[0] = static_cast<texel_channel<known>>(value);
    return result;
  } else {
    for (int i = 0; i < texel_value<known>::count; ++i) result.channel[i] = static_cast<texel_channel<known>>(value[i]);
    return result;
  }
}

template <class Coordinates>
inline constexpr int coordinate_count = element_count<Coordinates> > 3 ? 3 : element_count<Coordinates>;
template <class Number, class Coordinates>
struct bindless_coordinates {
  Number at[coordinate_count<Coordinates>];
  SINTER_DEVICE_INLINE explicit bindless_coordinates(const Coordinates& from) noexcept {
    if constexpr (std::is_arithmetic_v<Coordinates>) {
      at[0] = static_cast<Number>(from);
    } else {
      for (int d = 0; d < coordinate_count<Coordinates>; ++d) at[d] = static_cast<Number>(from[d]);
    }
  }
};

template <class Coordinates>
using texel_place = bindless_coordinates<std::int32_t, Coordinates>;
template <class Coordinates>
using sample_place = bindless_coordinates<float, Coordinates>;
/// Traits of a read: the type and count of a texel's channels, and the number of coordinates.
template <class T, class Hint, class Coordinates>
struct bindless_read {
  using known = known_texel<T, Hint>;
  using channel = texel_channel<known>;
  static constexpr int channels = texel_value<known>::count, dimensions = coordinate_count<Coordinates>;
};

}  // namespace detail

namespace ext::oneapi::experimental {

/// Reads the texel at integer coordinates.
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T fetch_image(const unsampled_image_handle& image, const Coordinates& coordinates) {
  using read = sycl::detail::bindless_read<T, Hint, Coordinates>;
  return sycl::detail::from_texel<T, Hint>(
      sycl::detail::fetch_record<typename read::channel, read::channels, read::dimensions>(
          sycl::detail::image_record::of(image.raw_handle), sycl::detail::texel_place<Coordinates>(coordinates).at));
}
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T fetch_image(const sampled_image_handle& image, const Coordinates& coordinates) {
  return fetch_image<T, Hint>(unsampled_image_handle(image.raw_handle), coordinates);
}
template <class Hint = void, class T, class Coordinates>
SINTER_DEVICE_INLINE void write_image(unsampled_image_handle image, const Coordinates& coordinates, const T& color) {
  using hint = std::conditional_t<std::is_void_v<Hint>, T, Hint>;
  sycl::detail::write_record(sycl::detail::image_record::of(image.raw_handle),
                             sycl::detail::texel_place<Coordinates>(coordinates).at,
                             sycl::detail::as_texel<hint>(color));
}
/// Samples the image at floating-point coordinates.
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T sample_image(const sampled_image_handle& image, const Coordinates& coordinates) {
  using read = sycl::detail::bindless_read<T, Hint, Coordinates>;
  return sycl::detail::from_texel<T, Hint>(
      sycl::detail::sample_record<typename read::channel, read::channels, read::dimensions>(
          sycl::detail::image_record::of(image.raw_handle), sycl::detail::sample_place<Coordinates>(coordinates).at));
}

/// Returns one channel of the four texels that a linear filter would combine. T is a vec of four elements in the order
/// of CUDA's tex2Dgather: (x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y).
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T gather_image(const sampled_image_handle& image, const Coordinates& coordinates,
                                    unsigned int channel) {
  using read = sycl::detail::bindless_read<T, Hint, Coordinates>;
  static_assert(read::channels == 4 && read::dimensions == 2,
                "gather_image reads four texels of a two-dimensional image: its type is a vec of four");
  return sycl::detail::from_texel<T, Hint>(sycl::detail::gather_record<typename read::channel>(
      sycl::detail::image_record::of(image.raw_handle), sycl::detail::sample_place<Coordinates>(coordinates).at,
      channel));
}

/// Samples a mip map at `level`, where 0 is the largest level. In the other overload, dx and dy are the differences of
/// the coordinates from one work-item to the next. This overload chooses the level at which the coordinates of these
/// work-items are one texel apart.
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T sample_mipmap(const sampled_image_handle& image, const Coordinates& coordinates, float level) {
  using read = sycl::detail::bindless_read<T, Hint, Coordinates>;
  return sycl::detail::from_texel<T, Hint>(
      sycl::detail::sample_record_level<typename read::channel, read::channels, read::dimensions>(
          sycl::detail::image_record::of(image.raw_handle), sycl::detail::sample_place<Coordinates>(coordinates).at,
          level));
}
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T sample_mipmap(const sampled_image_handle& image, const Coordinates& coordinates,
                                     const Coordinates& dx, const Coordinates& dy) {
  using place = sycl::detail::sample_place<Coordinates>;
  const float level = sycl::detail::level_of_gradients<sycl::detail::coordinate_count<Coordinates>>(
      sycl::detail::image_record::of(image.raw_handle), place(dx).at, place(dy).at);
  return sample_mipmap<T, Hint>(image, coordinates, level);
}

/// These functions access one layer of an array of one- or two-dimensional images.
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T fetch_image_array(const unsampled_image_handle& image, const Coordinates& coordinates,
                                         unsigned int layer) {
  using read = sycl::detail::bindless_read<T, Hint, Coordinates>;
  return sycl::detail::from_texel<T, Hint>(
      sycl::detail::fetch_record_layer<typename read::channel, read::channels, read::dimensions>(
          sycl::detail::image_record::of(image.raw_handle), sycl::detail::texel_place<Coordinates>(coordinates).at,
          layer));
}
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T fetch_image_array(const sampled_image_handle& image, const Coordinates& coordinates,
                                         unsigned int layer) {
  return fetch_image_array<T, Hint>(unsampled_image_handle(image.raw_handle), coordinates, layer);
}
template <class T, class Hint = T, class Coordinates>
SINTER_DEVICE_INLINE T sample_image_array(const sampled_image_handle& image, const Coordinates& coordinates,
                                          unsigned int layer) {
  using read = sycl::detail::bindless_read<T, Hint, Coordinates>;
  return sycl::detail::from_texel<T, Hint>(
      sycl::detail::sample_record_layer<typename read::channel, read::channels, read::dimensions>(
          sycl::detail::image_record::of(image.raw_handle), sycl::detail::sample_place<Coordinates>(coordinates).at,
          layer));
}
template <class Hint = void, class T, class Coordinates>
SINTER_DEVICE_INLINE void write_image_array(unsampled_image_handle image, const Coordinates& coordinates,
                                            unsigned int layer, const T& color) {
  using hint = std::conditional_t<std::is_void_v<Hint>, T, Hint>;
  sycl::detail::write_record_layer(sycl::detail::image_record::of(image.raw_handle),
                                   sycl::detail::texel_place<Coordinates>(coordinates).at, layer,
                                   sycl::detail::as_texel<hint>(color));
}

/// Reads a texel of one face of a cube map. The order of the faces is +x, -x, +y, -y, +z, -z.
template <class T, class Hint = T>
SINTER_DEVICE_INLINE T fetch_cubemap(const unsampled_image_handle& image, const int2& coordinates, unsigned int face) {
  return fetch_image_array<T, Hint>(image, coordinates, face);
}
template <class Hint = void, class T>
SINTER_DEVICE_INLINE void write_cubemap(unsampled_image_handle image, const int2& coordinates, int face,
                                        const T& color) {
  write_image_array<Hint>(image, coordinates, static_cast<unsigned int>(face), color);
}
/// Samples the cube map in a direction from the centre of the cube. Filters end at the edges of faces, unless the
/// sampler has cubemap_filtering_mode::seamless.
template <class T, class Hint = T>
SINTER_DEVICE_INLINE T sample_cubemap(const sampled_image_handle& image, const float3& direction) {
  using read = sycl::detail::bindless_read<T, Hint, float3>;
  return sycl::detail::from_texel<T, Hint>(
      sycl::detail::sample_record_cube<typename read::channel, read::channels>(
          sycl::detail::image_record::of(image.raw_handle), direction[0], direction[1], direction[2]));
}

}  // namespace ext::oneapi::experimental
}  // namespace sycl
