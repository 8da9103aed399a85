#pragma once
/// Images (SYCL 2020 4.7.3): texels with four channels. Accessors convert texels and sample images.
///
/// The texels are in a buffer of bytes. Commands that use the image are ordered like commands that use this buffer.
/// When the last copy of an image is destroyed, its contents are copied back to the host memory. x is the first
/// dimension of ranges and coordinates. The accessors are in image_accessor.hpp.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "access.hpp"
#include "buffer.hpp"
#include "detail/export.hpp"
#include "detail/image_sampling.hpp"
#include "property_list.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

class handler;

// The specification misspells the names of some formats; these formats have enumerators for both spellings.
enum class image_format : unsigned int {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm,
  r32g32b32a32_sint = r32b32g32a32_sint,
  r32g32b32a32_uint = r32b32g32a32_uint,
  r16g16b16a16_sfloat = r16b16g16a16_sfloat
};
enum class addressing_mode : unsigned int { mirrored_repeat, repeat, clamp_to_edge, clamp, none };
enum class filtering_mode : unsigned int { nearest, linear };
enum class coordinate_normalization_mode : unsigned int { normalized, unnormalized };
enum class image_target : unsigned int { device, host_task };

// The channel orders of SYCL 1.2.1's images and of bindless images.
enum class image_channel_order : unsigned int {
  a, r, rx, rg, rgx, ra, rgb, rgbx, rgba, argb, bgra, intensity, luminance, abgr
};
enum class image_channel_type : unsigned int {
  snorm_int8, snorm_int16, unorm_int8, unorm_int16, unorm_short_565, unorm_short_555, unorm_int_101010, signed_int8,
  signed_int16, signed_int32, unsigned_int8, unsigned_int16, unsigned_int32, fp16, fp32
};

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;
};

using image_allocator = std::allocator<std::byte>;

template <class T, int Dimensions, access_mode Mode, image_target Target = image_target::device>
class unsampled_image_accessor;
template <class T, int Dimensions, image_target Target = image_target::device>
class sampled_image_accessor;
template <class T, int Dimensions = 1,
          access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write>
class host_unsampled_image_accessor;
template <class T, int Dimensions>
class host_sampled_image_accessor;

namespace detail {

struct image_access;

/// The arguments of the constructor of an image. If `pitch` is null, there are no gaps between rows and slices.
/// layout_of_image throws errc::invalid for sizes of zero, for pitches that are too small or not a multiple of a texel,
/// and for samplers that would give undefined results.
struct image_request {
  const char* kind;
  int dimensions;
  const std::size_t *extents, *pitch;
  image_format format;
  const image_sampler* sampler;
  image_traits traits = {};  ///< images of SYCL 1.2.1 use `traits` instead of `format`
};
/// The maximum number of texels in a dimension. The number is limited because indices have 32 bits.
inline constexpr std::size_t most_texels = std::size_t{1} << 30;
SINTER_EXPORT image_layout layout_of_image(const image_request& request);
/// `source` names the host memory from which the contents are read and to which they are written back; it may be empty.
/// make_image_memory itself sets the size and alignment in `source`.
SINTER_EXPORT shared<buffer_owner> make_image_memory(const image_layout& layout, buffer_source&& source,
                                                     const property_list& properties);

/// The common base of both image classes. Copies of the object refer to the same image.
template <int Dimensions, class Allocator>
class image_base : public with_properties {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "images have 1 to 3 dimensions");

public:
  /// Returns the extents in texels; x comes first.
  range<Dimensions> get_range() const noexcept {
    range<Dimensions> result{};
    for (int d = 0; d < Dimensions; ++d) result[d] = static_cast<std::size_t>(m_layout.extent[d]);
    return result;
  }
  /// Returns the distances in bytes from one row to the next, and from one slice to the next.
  range<(Dimensions > 1 ? Dimensions - 1 : 1)> get_pitch() const noexcept
    requires(Dimensions > 1)
  {
    if constexpr (Dimensions == 2) return range<1>(m_layout.row_pitch);
    else return range<2>(m_layout.row_pitch, m_layout.slice_pitch);
  }
  /// Returns the number of texels.
  std::size_t size() const noexcept { return get_range().size(); }
  /// Returns the size in bytes, including gaps between rows.
  std::size_t byte_size() const noexcept { return m_texels.byte_size(); }
  Allocator get_allocator() const { return m_allocator; }

protected:
  friend struct image_access;
  using memory = buffer<unsigned char, 1>;

  image_base(const image_request& request, buffer_source&& source, const Allocator& allocator,
             const property_list& properties)
      : with_properties(properties),
        m_layout(layout_of_image(request)),
        m_texels(buffer_access::whole<memory>(
            make_image_memory(m_layout, static_cast<buffer_source&&>(source), properties), bytes_of_image(m_layout))),
        m_allocator(allocator) {}

  static std::size_t bytes_of_image(const image_layout& layout) noexcept {
    return layout.slice_pitch * static_cast<std::size_t>(layout.extent[2]);
  }
  bool is_same(const image_base& other) const noexcept { return m_texels == other.m_texels; }

  image_layout m_layout;
  memory m_texels;
  [[no_unique_address]] Allocator m_allocator;
};

/// An image that commands may write. So the image's contents may have to be written back to the host.
template <int Dimensions, class Allocator>
class writable_image : public image_base<Dimensions, Allocator> {
public:
  /// Sets the place to which the contents are written when the last copy of the image is destroyed. The place is a
  /// pointer or a std::weak_ptr. With nullptr, the contents are not written.
  template <class Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    if constexpr (std::is_pointer_v<Destination>) {
      this->m_texels.set_final_data(static_cast<void*>(destination));
    } else {
      this->m_texels.set_final_data(destination);
    }
  }
  void set_write_back(bool enabled = true) { this->m_texels.set_write_back(enabled); }

protected:
  using image_base<Dimensions, Allocator>::image_base;
};

/// These functions return the source of an image's contents: host memory that is never written, host memory to which
/// the contents are written back, or a std::shared_ptr to host memory.
inline buffer_source image_source() noexcept { return {.wait_at_end = false}; }
inline buffer_source image_source(const void* data) noexcept {
  return {.initial = data, .in_place = true, .wait_at_end = data != nullptr};
}
inline buffer_source image_source_and_target(void* data) noexcept {
  return {.initial = data, .write_back = data, .in_place = true, .wait_at_end = data != nullptr};
}
template <shared_pointer Pointer>
buffer_source with_owner(buffer_source source, const Pointer& owner) {
  source.keep = make_counted<holder<Pointer>>(owner);
  return source;
}
template <class Pointer, class Void>
concept pointer_to_void = shared_pointer<Pointer> && std::is_convertible_v<typename Pointer::element_type*, Void*>;

}  // namespace detail

/// An image for commands that read or write texels at integer coordinates.
///
/// The constructors take these arguments in order and throw the errors of image_request:
/// - host memory (a void* or std::shared_ptr<void>, which may be null), or nothing. The image begins with the contents
///   of this memory, and its destructor writes the contents back;
/// - the format;
/// - the range;
/// - the pitches of rows and of slices in bytes, or nothing;
/// - an allocator, or nothing; only the type of the allocator matters;
/// - properties.
template <int Dimensions = 1, class Allocator = image_allocator>
class unsampled_image : public detail::writable_image<Dimensions, Allocator> {
  using base = detail::writable_image<Dimensions, Allocator>;
  using extents = range<Dimensions>;
  using pitches = range<(Dimensions > 1 ? Dimensions - 1 : 1)>;

public:
  unsampled_image(image_format format, const extents& size, const property_list& properties = {})
      : unsampled_image(detail::image_source(), format, size, nullptr, Allocator(), properties) {}
  unsampled_image(image_format format, const extents& size, Allocator allocator, const property_list& properties = {})
      : unsampled_image(detail::image_source(), format, size, nullptr, allocator, properties) {}
  unsampled_image(image_format format, const extents& size, const pitches& pitch, const property_list& properties = {})
    requires(Dimensions > 1)
      : unsampled_image(detail::image_source(), format, size, &pitch, Allocator(), properties) {}
  unsampled_image(image_format format, const extents& size, const pitches& pitch, Allocator allocator,
                  const property_list& properties = {})
    requires(Dimensions > 1)
      : unsampled_image(detail::image_source(), format, size, &pitch, allocator, properties) {}

  unsampled_image(void* data, image_format format, const extents& size, const property_list& properties = {})
      : unsampled_image(detail::image_source_and_target(data), format, size, nullptr, Allocator(), properties) {}
  unsampled_image(void* data, image_format format, const extents& size, Allocator allocator,
                  const property_list& properties = {})
      : unsampled_image(detail::image_source_and_target(data), format, size, nullptr, allocator, properties) {}
  unsampled_image(void* data, image_format format, const extents& size, const pitches& pitch,
                  const property_list& properties = {})
    requires(Dimensions > 1)
      : unsampled_image(detail::image_source_and_target(data), format, size, &pitch, Allocator(), properties) {}
  unsampled_image(void* data, image_format format, const extents& size, const pitches& pitch, Allocator allocator,
                  const property_list& properties = {})
    requires(Dimensions > 1)
      : unsampled_image(detail::image_source_and_target(data), format, size, &pitch, allocator, properties) {}

  template <detail::pointer_to_void<void> Pointer>
  unsampled_image(const Pointer& data, image_format format, const extents& size, const property_list& properties = {})
      : unsampled_image(owned(data), format, size, nullptr, Allocator(), properties) {}
  template <detail::pointer_to_void<void> Pointer>
  unsampled_image(const Pointer& data, image_format format, const extents& size, Allocator allocator,
                  const property_list& properties = {})
      : unsampled_image(owned(data), format, size, nullptr, allocator, properties) {}
  template <detail::pointer_to_void<void> Pointer>
    requires(Dimensions > 1)
  unsampled_image(const Pointer& data, image_format format, const extents& size, const pitches& pitch,
                  const property_list& properties = {})
      : unsampled_image(owned(data), format, size, &pitch, Allocator(), properties) {}
  template <detail::pointer_to_void<void> Pointer>
    requires(Dimensions > 1)
  unsampled_image(const Pointer& data, image_format format, const extents& size, const pitches& pitch,
                  Allocator allocator, const property_list& properties = {})
      : unsampled_image(owned(data), format, size, &pitch, allocator, properties) {}

  /// Makes an accessor for the command group's command. T is float4, int4 or uint4, depending on the format. For
  /// formats of half, it may also be half4.
  template <class T, access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::write,
            image_target Target = image_target::device>
  auto get_access(handler& group, const property_list& properties = {}) {
    return unsampled_image_accessor<T, Dimensions, Mode, Target>(*this, group, properties);
  }
  template <class T, access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write>
  auto get_host_access(const property_list& properties = {}) {
    return host_unsampled_image_accessor<T, Dimensions, Mode>(*this, properties);
  }

  friend bool operator==(const unsampled_image& a, const unsampled_image& b) noexcept { return a.is_same(b); }
  friend bool operator!=(const unsampled_image& a, const unsampled_image& b) noexcept { return !(a == b); }

private:
  unsampled_image(detail::buffer_source&& source, image_format format, const extents& size, const pitches* pitch,
                  const Allocator& allocator, const property_list& properties)
      : base({"unsampled_image", Dimensions, detail::extents_of(size), pitch ? detail::extents_of(*pitch) : nullptr,
              format, nullptr},
             static_cast<detail::buffer_source&&>(source), allocator, properties) {}
  template <class Pointer>
  static detail::buffer_source owned(const Pointer& data) {
    return detail::with_owner(detail::image_source_and_target(data.get()), data);
  }
};

/// An image for commands that read it at floating-point coordinates. The image's sampler interpolates between texels.
///
/// The constructors take these arguments in order and throw the errors of image_request:
/// - host memory with the initial contents (a const void* or std::shared_ptr<const void>, which may be null);
/// - the format;
/// - the sampler;
/// - the range;
/// - the pitches of rows and of slices in bytes, or nothing;
/// - properties.
template <int Dimensions = 1, class Allocator = image_allocator>
class sampled_image : public detail::image_base<Dimensions, Allocator> {
  using base = detail::image_base<Dimensions, Allocator>;
  using extents = range<Dimensions>;
  using pitches = range<(Dimensions > 1 ? Dimensions - 1 : 1)>;

public:
  sampled_image(const void* data, image_format format, image_sampler sampler, const extents& size,
                const property_list& properties = {})
      : sampled_image(detail::image_source(data), format, sampler, size, nullptr, properties) {}
  sampled_image(const void* data, image_format format, image_sampler sampler, const extents& size,
                const pitches& pitch, const property_list& properties = {})
    requires(Dimensions > 1)
      : sampled_image(detail::image_source(data), format, sampler, size, &pitch, properties) {}
  template <detail::pointer_to_void<const void> Pointer>
  sampled_image(const Pointer& data, image_format format, image_sampler sampler, const extents& size,
                const property_list& properties = {})
      : sampled_image(detail::with_owner(detail::image_source(data.get()), data), format, sampler, size, nullptr,
                      properties) {}
  template <detail::pointer_to_void<const void> Pointer>
    requires(Dimensions > 1)
  sampled_image(const Pointer& data, image_format format, image_sampler sampler, const extents& size,
                const pitches& pitch, const property_list& properties = {})
      : sampled_image(detail::with_owner(detail::image_source(data.get()), data), format, sampler, size, &pitch,
                      properties) {}

  /// Like unsampled_image::get_access, but the accessor can only read.
  template <class T, image_target Target = image_target::device>
  auto get_access(handler& group, const property_list& properties = {}) {
    return sampled_image_accessor<T, Dimensions, Target>(*this, group, properties);
  }
  template <class T>
  auto get_host_access(const property_list& properties = {}) {
    return host_sampled_image_accessor<T, Dimensions>(*this, properties);
  }

  friend bool operator==(const sampled_image& a, const sampled_image& b) noexcept { return a.is_same(b); }
  friend bool operator!=(const sampled_image& a, const sampled_image& b) noexcept { return !(a == b); }

private:
  sampled_image(detail::buffer_source&& source, image_format format, const image_sampler& sampler, const extents& size,
                const pitches* pitch, const property_list& properties)
      : base({"sampled_image", Dimensions, detail::extents_of(size), pitch ? detail::extents_of(*pitch) : nullptr,
              format, &sampler},
             static_cast<detail::buffer_source&&>(source), Allocator(), properties) {}
};

namespace detail {

/// Gives other classes access to an image's internals.
struct image_access {
  template <class Image>
  static const image_layout& layout(const Image& image) noexcept {
    return image.m_layout;
  }
  template <class Image>
  static buffer<unsigned char, 1>& texels(Image& image) noexcept {
    return image.m_texels;
  }
};

}  // namespace detail
}  // namespace sycl

template <int Dimensions, class Allocator>
struct std::hash<sycl::unsampled_image<Dimensions, Allocator>> {
  std::size_t operator()(const sycl::unsampled_image<Dimensions, Allocator>& object) const noexcept {
    return std::hash<sycl::buffer<unsigned char, 1>>()(
        sycl::detail::image_access::texels(const_cast<sycl::unsampled_image<Dimensions, Allocator>&>(object)));
  }
};
template <int Dimensions, class Allocator>
struct std::hash<sycl::sampled_image<Dimensions, Allocator>> {
  std::size_t operator()(const sycl::sampled_image<Dimensions, Allocator>& object) const noexcept {
    return std::hash<sycl::buffer<unsigned char, 1>>()(
        sycl::detail::image_access::texels(const_cast<sycl::sampled_image<Dimensions, Allocator>&>(object)));
  }
};

#include "image_accessor.hpp"
