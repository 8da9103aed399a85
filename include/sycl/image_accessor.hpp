#pragma once
/// Accessors of images (SYCL 2020 4.7.6.11 to 4.7.6.14), for commands and the host. All image accessors run the same
/// code (detail/image_sampling.hpp).
///
/// T is float4 for normalized and floating-point formats (also half4 for formats of half), and int4 or uint4 for
/// integer formats. The constructors throw errc::invalid if T does not fit the image's format. Reads outside an
/// unsampled image return zeros, and writes outside it do nothing.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "accessor.hpp"
#include "half.hpp"
#include "image.hpp"
#include "property_list.hpp"
#include "vec.hpp"

namespace sycl::inline _V1 {

class interop_handle;

namespace detail {

/// The types in which a kernel can read a texel. Channels are computed in float for types with half elements, otherwise
/// in the element type.
template <class T>
inline constexpr bool is_pixel = false;
template <>
inline constexpr bool is_pixel<float4> = true;
template <>
inline constexpr bool is_pixel<half4> = true;
template <>
inline constexpr bool is_pixel<int4> = true;
template <>
inline constexpr bool is_pixel<uint4> = true;

template <class Pixel>
using channel_of =
    std::conditional_t<std::is_same_v<typename Pixel::value_type, half>, float, typename Pixel::value_type>;

template <class Pixel>
SINTER_DEVICE_INLINE Pixel to_pixel(const texel<channel_of<Pixel>, 4>& value) noexcept {
  using element = typename Pixel::value_type;
  return Pixel(static_cast<element>(value.channel[0]), static_cast<element>(value.channel[1]),
               static_cast<element>(value.channel[2]), static_cast<element>(value.channel[3]));
}
template <class Pixel>
SINTER_DEVICE_INLINE texel<channel_of<Pixel>, 4> to_texel(const Pixel& value) noexcept {
  using channel = channel_of<Pixel>;
  return {{static_cast<channel>(value[0]), static_cast<channel>(value[1]), static_cast<channel>(value[2]),
           static_cast<channel>(value[3])}};
}

/// Makes coordinates from a number or a vector. The fourth element of a vector, for three-dimensional images, is
/// ignored.
template <class Number, int Dimensions>
struct image_coordinates {
  Number at[Dimensions];

  template <class Coordinates>
  SINTER_DEVICE_INLINE explicit image_coordinates(const Coordinates& coordinates) noexcept {
    if constexpr (std::is_arithmetic_v<Coordinates> || std::is_same_v<Coordinates, half>) {
      static_assert(Dimensions == 1, "an image of two dimensions takes int2 or float2, one of three int4 or float4");
      at[0] = static_cast<Number>(coordinates);
    } else {
      for (int d = 0; d < Dimensions; ++d) at[d] = static_cast<Number>(coordinates[d]);
    }
  }
};

/// The kinds of numbers in a pixel type. check_pixels throws errc::invalid if the kind does not fit the format.
enum class pixel_kind : std::uint8_t { floats, halves, signed_integers, unsigned_integers };
template <class Pixel>
inline constexpr pixel_kind pixel_kind_of = std::is_same_v<Pixel, float4>  ? pixel_kind::floats
                                            : std::is_same_v<Pixel, half4> ? pixel_kind::halves
                                            : std::is_same_v<Pixel, int4>  ? pixel_kind::signed_integers
                                                                           : pixel_kind::unsigned_integers;
SINTER_EXPORT void check_pixels(const char* accessor, image_traits traits, pixel_kind kind);
/// Throws errc::feature_not_supported if the command group's device lacks aspect::image.
SINTER_EXPORT void check_images_of(handler_impl& handler, const char* accessor);

/// The common base of all image accessors. It has an accessor of the image's bytes, and the layout of the texels in
/// these bytes.
template <class T, int Dimensions, access_mode Mode, class Bytes>
class image_accessor_base {
protected:
  using pixel = std::remove_const_t<T>;
  static_assert(is_pixel<pixel>, "the pixels of an image are float4, half4, int4 or uint4");

public:
  using value_type = std::conditional_t<Mode == access_mode::read, const pixel, pixel>;
  using reference = value_type&;
  using const_reference = const pixel&;

  /// Returns the number of texels.
  std::size_t size() const noexcept {
    return static_cast<std::size_t>(m_layout.extent[0]) * static_cast<std::size_t>(m_layout.extent[1]) *
           static_cast<std::size_t>(m_layout.extent[2]);
  }
  /// The only property of image accessors is no_init.
  template <class Property>
  bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && m_no_init;
  }
  template <class Property>
  Property get_property() const {
    if (!has_property<Property>()) throw_no_property();
    return Property();
  }

protected:
  template <class Image>
  image_accessor_base(const char* name, const Image& image, const Bytes& texels, const property_list& properties)
      : m_texels(texels),
        m_layout(image_access::layout(image)),
        m_no_init(properties.has_kind(property_kind::no_init)) {
    check_pixels(name, m_layout.traits, pixel_kind_of<pixel>);
  }
  image_accessor_base() = default;

  SINTER_DEVICE_INLINE image_view view() const noexcept { return {m_layout, &m_texels[0]}; }
  template <class Coordinates>
  SINTER_DEVICE_INLINE pixel fetch(const Coordinates& coordinates) const noexcept {
    const image_coordinates<std::int32_t, Dimensions> place(coordinates);
    return to_pixel<pixel>(fetch_texel<channel_of<pixel>, 4, Dimensions>(view(), place.at));
  }
  template <class Coordinates>
  SINTER_DEVICE_INLINE pixel sample(const Coordinates& coordinates) const noexcept {
    const image_coordinates<float, Dimensions> place(coordinates);
    return to_pixel<pixel>(sample_texels<channel_of<pixel>, 4, Dimensions>(view(), place.at));
  }
  template <class Coordinates>
  SINTER_DEVICE_INLINE void put(const Coordinates& coordinates, const pixel& value) const noexcept {
    const image_coordinates<std::int32_t, Dimensions> place(coordinates);
    write_texel<channel_of<pixel>, 4, Dimensions>(&m_texels[0], m_layout, place.at, to_texel(value));
  }
  friend struct std::hash<image_accessor_base>;
  friend class sycl::interop_handle;
  std::size_t hash() const noexcept { return std::hash<Bytes>()(m_texels); }

  Bytes m_texels;
  image_layout m_layout;
  bool m_no_init = false;
};

/// The accessor of the image's bytes. For host tasks, this accessor accesses the bytes in host memory.
template <access_mode Mode, image_target Target>
using image_bytes =
    accessor<unsigned char, 1, Mode, Target == image_target::device ? target::device : target::host_task>;
template <access_mode Mode, image_target Target, class Image>
image_bytes<Mode, Target> open_image(const char* name, Image& image, handler& group, const property_list& properties) {
  if (Target == image_target::device) check_images_of(implementation(group), name);
  return image_bytes<Mode, Target>(image_access::texels(image), group, properties);
}

}  // namespace detail

template <class T, int Dimensions, access_mode Mode, image_target Target>
class unsampled_image_accessor
    : public detail::image_accessor_base<T, Dimensions, Mode, detail::image_bytes<Mode, Target>> {
  static_assert(Mode == access_mode::read || Mode == access_mode::write,
                "accessors of unsampled images read or write, not both");
  using base = detail::image_accessor_base<T, Dimensions, Mode, detail::image_bytes<Mode, Target>>;
  using pixel = typename base::pixel;

public:
  template <class Allocator>
  unsampled_image_accessor(unsampled_image<Dimensions, Allocator>& image, handler& group,
                           const property_list& properties = {})
      : base("unsampled_image_accessor", image,
             detail::open_image<Mode, Target>("unsampled_image_accessor", image, group, properties), properties) {}
  /// The mode of the tag is the accessor's mode.
  template <class Allocator, class Tag>
    requires(detail::option_facts<Tag>::has_mode && detail::option_facts<Tag>::mode == Mode)
  unsampled_image_accessor(unsampled_image<Dimensions, Allocator>& image, handler& group, Tag,
                           const property_list& properties = {})
      : unsampled_image_accessor(image, group, properties) {}

  /// Reads the texel at int, int2 or int4 coordinates.
  template <class Coordinates>
    requires(Mode == access_mode::read)
  SINTER_DEVICE_INLINE pixel read(const Coordinates& coordinates) const noexcept {
    return this->fetch(coordinates);
  }
  template <class Coordinates>
    requires(Mode == access_mode::write)
  SINTER_DEVICE_INLINE void write(const Coordinates& coordinates, const pixel& color) const noexcept {
    this->put(coordinates, color);
  }

  friend bool operator==(const unsampled_image_accessor& a, const unsampled_image_accessor& b) noexcept {
    return a.m_texels == b.m_texels;
  }
  friend bool operator!=(const unsampled_image_accessor& a, const unsampled_image_accessor& b) noexcept {
    return !(a == b);
  }

private:
  friend struct std::hash<unsampled_image_accessor>;
};

template <class T, int Dimensions, image_target Target>
class sampled_image_accessor
    : public detail::image_accessor_base<T, Dimensions, access_mode::read,
                                         detail::image_bytes<access_mode::read, Target>> {
  using base = detail::image_accessor_base<T, Dimensions, access_mode::read,
                                           detail::image_bytes<access_mode::read, Target>>;
  using pixel = typename base::pixel;

public:
  template <class Allocator>
  sampled_image_accessor(sampled_image<Dimensions, Allocator>& image, handler& group,
                         const property_list& properties = {})
      : base("sampled_image_accessor", image,
             detail::open_image<access_mode::read, Target>("sampled_image_accessor", image, group, properties),
             properties) {}

  /// Samples the image at float, float2 or float4 coordinates.
  template <class Coordinates>
  SINTER_DEVICE_INLINE pixel read(const Coordinates& coordinates) const noexcept {
    return this->sample(coordinates);
  }

  friend bool operator==(const sampled_image_accessor& a, const sampled_image_accessor& b) noexcept {
    return a.m_texels == b.m_texels;
  }
  friend bool operator!=(const sampled_image_accessor& a, const sampled_image_accessor& b) noexcept {
    return !(a == b);
  }

private:
  friend struct std::hash<sampled_image_accessor>;
};

/// The constructor waits until the contents are available. Conflicting commands wait until the last copy of the
/// accessor is destroyed.
template <class T, int Dimensions, access_mode Mode>
class host_unsampled_image_accessor
    : public detail::image_accessor_base<T, Dimensions, Mode, host_accessor<unsigned char, 1, Mode>> {
  static_assert(Mode == access_mode::read || Mode == access_mode::write || Mode == access_mode::read_write,
                "accessors of unsampled images read, write, or read and write");
  using base = detail::image_accessor_base<T, Dimensions, Mode, host_accessor<unsigned char, 1, Mode>>;
  using pixel = typename base::pixel;

public:
  template <class Allocator>
  host_unsampled_image_accessor(unsampled_image<Dimensions, Allocator>& image, const property_list& properties = {})
      : base("host_unsampled_image_accessor", image,
             host_accessor<unsigned char, 1, Mode>(detail::image_access::texels(image), properties), properties) {}
  template <class Allocator, class Tag>
    requires(detail::option_facts<Tag>::has_mode && detail::option_facts<Tag>::mode == Mode)
  host_unsampled_image_accessor(unsampled_image<Dimensions, Allocator>& image, Tag,
                                const property_list& properties = {})
      : host_unsampled_image_accessor(image, properties) {}

  template <class Coordinates>
    requires(Mode != access_mode::write)
  pixel read(const Coordinates& coordinates) const noexcept {
    return this->fetch(coordinates);
  }
  template <class Coordinates>
    requires(Mode != access_mode::read)
  void write(const Coordinates& coordinates, const pixel& color) const noexcept {
    this->put(coordinates, color);
  }

  friend bool operator==(const host_unsampled_image_accessor& a, const host_unsampled_image_accessor& b) noexcept {
    return a.m_texels == b.m_texels;
  }
  friend bool operator!=(const host_unsampled_image_accessor& a, const host_unsampled_image_accessor& b) noexcept {
    return !(a == b);
  }

private:
  friend struct std::hash<host_unsampled_image_accessor>;
};

template <class T, int Dimensions>
class host_sampled_image_accessor
    : public detail::image_accessor_base<T, Dimensions, access_mode::read,
                                         host_accessor<unsigned char, 1, access_mode::read>> {
  using bytes = host_accessor<unsigned char, 1, access_mode::read>;
  using base = detail::image_accessor_base<T, Dimensions, access_mode::read, bytes>;
  using pixel = typename base::pixel;

public:
  template <class Allocator>
  host_sampled_image_accessor(sampled_image<Dimensions, Allocator>& image, const property_list& properties = {})
      : base("host_sampled_image_accessor", image, bytes(detail::image_access::texels(image), properties),
             properties) {}

  template <class Coordinates>
  pixel read(const Coordinates& coordinates) const noexcept {
    return this->sample(coordinates);
  }

  friend bool operator==(const host_sampled_image_accessor& a, const host_sampled_image_accessor& b) noexcept {
    return a.m_texels == b.m_texels;
  }
  friend bool operator!=(const host_sampled_image_accessor& a, const host_sampled_image_accessor& b) noexcept {
    return !(a == b);
  }

private:
  friend struct std::hash<host_sampled_image_accessor>;
};

}  // namespace sycl

#define SINTER_IMAGE_ACCESSOR_HASH(parameters, ...)                                    \
  template <parameters>                                                                \
  struct std::hash<sycl::__VA_ARGS__> {                                                \
    std::size_t operator()(const sycl::__VA_ARGS__& object) const noexcept { return object.hash(); } \
  }
#define SINTER_COMMA ,
SINTER_IMAGE_ACCESSOR_HASH(class T SINTER_COMMA int Dimensions SINTER_COMMA sycl::access_mode Mode SINTER_COMMA
                               sycl::image_target Target,
                           unsampled_image_accessor<T, Dimensions, Mode, Target>);
SINTER_IMAGE_ACCESSOR_HASH(class T SINTER_COMMA int Dimensions SINTER_COMMA sycl::image_target Target,
                           sampled_image_accessor<T, Dimensions, Target>);
SINTER_IMAGE_ACCESSOR_HASH(class T SINTER_COMMA int Dimensions SINTER_COMMA sycl::access_mode Mode,
                           host_unsampled_image_accessor<T, Dimensions, Mode>);
SINTER_IMAGE_ACCESSOR_HASH(class T SINTER_COMMA int Dimensions, host_sampled_image_accessor<T, Dimensions>);
#undef SINTER_IMAGE_ACCESSOR_HASH
#undef SINTER_COMMA
