#pragma once
/// Images of SYCL 1.2.1 (sections 4.7.3, 4.7.8 and 4.7.6.12), which are no longer in SYCL 2020: image, sampler, and
/// accessors with target::image, host_image and image_array. These classes are for programs that were migrated from
/// CUDA. New code should use sampled_image and unsampled_image (image.hpp).
///
/// The supported channel orders are r, rg, rgba and bgra. For a channel that the image lacks, reads return 0; for the
/// alpha channel, they return 1. Repeating addressing modes need normalized coordinates. With other coordinates, such
/// modes have the effect of clamp_to_edge.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "accessor.hpp"
#include "image_accessor.hpp"

namespace sycl::inline _V1 {

/// Determines which texels are read for given coordinates. Kernels capture the sampler and pass it to the function read
/// of an accessor.
class sampler {
public:
  sampler(coordinate_normalization_mode normalization, addressing_mode addressing, filtering_mode filtering,
          const property_list& = {}) noexcept
      : m_normalization(normalization), m_addressing(addressing), m_filtering(filtering) {}
  addressing_mode get_addressing_mode() const noexcept { return m_addressing; }
  filtering_mode get_filtering_mode() const noexcept { return m_filtering; }
  coordinate_normalization_mode get_coordinate_normalization_mode() const noexcept { return m_normalization; }
  friend bool operator==(const sampler& a, const sampler& b) noexcept {
    return a.m_normalization == b.m_normalization && a.m_addressing == b.m_addressing && a.m_filtering == b.m_filtering;
  }
  friend bool operator!=(const sampler& a, const sampler& b) noexcept { return !(a == b); }

private:
  coordinate_normalization_mode m_normalization;
  addressing_mode m_addressing;
  filtering_mode m_filtering;
};

namespace detail {

/// Throws errc::feature_not_supported if the order or type is not supported.
SINTER_EXPORT image_traits legacy_traits(image_channel_order order, image_channel_type type);

}  // namespace detail

/// The constructors take these arguments in order and throw the errors of unsampled_image:
/// - host memory (a void*, const void* or std::shared_ptr<void>), or nothing;
/// - the order and the type of the channels;
/// - the range, x first;
/// - the pitches in bytes, or nothing;
/// - an allocator, or nothing; only the type of the allocator matters;
/// - properties.
template <int Dimensions = 1, class Allocator = image_allocator>
class image : public detail::writable_image<Dimensions, Allocator> {
  using base = detail::writable_image<Dimensions, Allocator>;
  using extents = range<Dimensions>;
  using pitches = range<(Dimensions > 1 ? Dimensions - 1 : 1)>;

public:
  image(image_channel_order order, image_channel_type type, const extents& size, const property_list& properties = {})
      : image(detail::image_source(), order, type, size, nullptr, properties) {}
  image(image_channel_order order, image_channel_type type, const extents& size, Allocator,
        const property_list& properties = {})
      : image(detail::image_source(), order, type, size, nullptr, properties) {}
  image(image_channel_order order, image_channel_type type, const extents& size, const pitches& pitch,
        const property_list& properties = {})
    requires(Dimensions > 1)
      : image(detail::image_source(), order, type, size, &pitch, properties) {}
  image(void* data, image_channel_order order, image_channel_type type, const extents& size,
        const property_list& properties = {})
      : image(detail::image_source_and_target(data), order, type, size, nullptr, properties) {}
  image(void* data, image_channel_order order, image_channel_type type, const extents& size, Allocator,
        const property_list& properties = {})
      : image(detail::image_source_and_target(data), order, type, size, nullptr, properties) {}
  image(void* data, image_channel_order order, image_channel_type type, const extents& size, const pitches& pitch,
        const property_list& properties = {})
    requires(Dimensions > 1)
      : image(detail::image_source_and_target(data), order, type, size, &pitch, properties) {}
  image(const void* data, image_channel_order order, image_channel_type type, const extents& size,
        const property_list& properties = {})
      : image(copied(data), order, type, size, nullptr, properties) {}
  image(const void* data, image_channel_order order, image_channel_type type, const extents& size,
        const pitches& pitch, const property_list& properties = {})
    requires(Dimensions > 1)
      : image(copied(data), order, type, size, &pitch, properties) {}
  template <detail::pointer_to_void<void> Pointer>
  image(const Pointer& data, image_channel_order order, image_channel_type type, const extents& size,
        const property_list& properties = {})
      : image(detail::with_owner(detail::image_source_and_target(data.get()), data), order, type, size, nullptr,
              properties) {}
  template <detail::pointer_to_void<void> Pointer>
    requires(Dimensions > 1)
  image(const Pointer& data, image_channel_order order, image_channel_type type, const extents& size,
        const pitches& pitch, const property_list& properties = {})
      : image(detail::with_owner(detail::image_source_and_target(data.get()), data), order, type, size, &pitch,
              properties) {}

  /// get_size returns the size in bytes, get_count the number of texels.
  std::size_t get_size() const noexcept { return this->byte_size(); }
  std::size_t get_count() const noexcept { return this->size(); }

  template <class T, access_mode Mode>
  auto get_access(handler& group) {
    return accessor<T, Dimensions, Mode, target::image>(*this, group);
  }
  template <class T, access_mode Mode>
  auto get_access() {
    return accessor<T, Dimensions, Mode, target::host_image>(*this);
  }

  friend bool operator==(const image& a, const image& b) noexcept { return a.is_same(b); }
  friend bool operator!=(const image& a, const image& b) noexcept { return !(a == b); }

private:
  image(detail::buffer_source&& source, image_channel_order order, image_channel_type type, const extents& size,
        const pitches* pitch, const property_list& properties)
      : base({"image", Dimensions, detail::extents_of(size), pitch ? detail::extents_of(*pitch) : nullptr,
              image_format::r8g8b8a8_unorm, nullptr, detail::legacy_traits(order, type)},
             static_cast<detail::buffer_source&&>(source), Allocator(), properties) {}
  /// Makes the image copy the host memory, so that kernels may write to the image but the host memory does not change.
  static detail::buffer_source copied(const void* data) noexcept {
    return {.initial = data, .wait_at_end = data != nullptr};
  }
};

namespace detail {

/// Returns four channels, even if the image has fewer.
template <class Channel, class Read>
SINTER_DEVICE_INLINE texel<Channel, 4> fill_channels(image_traits traits, const Read& read) noexcept {
  if (traits.channels() == 4) return read(std::integral_constant<int, 4>());
  texel<Channel, 4> result{{0, 0, 0, 1}};
  if (traits.channels() == 1) {
    result.channel[0] = read(std::integral_constant<int, 1>()).channel[0];
  } else {
    const auto two = read(std::integral_constant<int, 2>());
    result.channel[0] = two.channel[0], result.channel[1] = two.channel[1];
  }
  return result;
}

/// Reads and writes an image, or a slice of an image, in `Dimensions` dimensions.
template <class T, int Dimensions, access_mode Mode>
class legacy_image_view {
  static_assert(is_pixel<T>, "the pixels of an image are float4, half4, int4 or uint4");
  using channel = channel_of<T>;

public:
  SINTER_DEVICE_INLINE legacy_image_view(const image_layout& layout, const unsigned char* data) noexcept
      : m_view(layout, data) {}

  template <class Coordinates>
    requires(mode_reads(Mode))
  SINTER_DEVICE_INLINE T read(const Coordinates& coordinates) const noexcept {
    const image_coordinates<std::int32_t, Dimensions> place(coordinates);
    return to_pixel<T>(fill_channels<channel>(m_view.traits, [&](auto count) {
      return fetch_texel<channel, decltype(count)::value, Dimensions>(m_view, place.at);
    }));
  }
  template <class Coordinates>
    requires(mode_reads(Mode))
  SINTER_DEVICE_INLINE T read(const Coordinates& coordinates, const sampler& how) const noexcept {
    const auto mode = static_cast<texel_addressing>(how.get_addressing_mode());
    image_view view = m_view;
    view.traits = m_view.traits.sampled(
        {mode, mode, mode}, how.get_coordinate_normalization_mode() == coordinate_normalization_mode::normalized,
        how.get_filtering_mode() == filtering_mode::linear);
    const image_coordinates<float, Dimensions> place(coordinates);
    return to_pixel<T>(fill_channels<channel>(view.traits, [&](auto count) {
      return sample_texels<channel, decltype(count)::value, Dimensions>(view, place.at);
    }));
  }
  template <class Coordinates>
    requires(mode_writes(Mode))
  SINTER_DEVICE_INLINE void write(const Coordinates& coordinates, const T& color) const noexcept {
    const image_coordinates<std::int32_t, Dimensions> place(coordinates);
    auto* const data = const_cast<unsigned char*>(m_view.data);
    const texel<channel, 4> all = to_texel(color);
    switch (m_view.traits.channels()) {
      case 1: return write_texel<channel, 1, Dimensions>(data, m_view, place.at, {{all.channel[0]}});
      case 2: return write_texel<channel, 2, Dimensions>(data, m_view, place.at, {{all.channel[0], all.channel[1]}});
      default: return write_texel<channel, 4, Dimensions>(data, m_view, place.at, all);
    }
  }

private:
  image_view m_view;
};

/// `Bytes` is the type of an accessor of the image's bytes.
template <class T, int Dimensions, access_mode Mode, class Bytes>
class legacy_image_accessor {
public:
  using value_type = T;
  std::size_t get_count() const noexcept {
    return static_cast<std::size_t>(m_layout.extent[0]) * static_cast<std::size_t>(m_layout.extent[1]) *
           static_cast<std::size_t>(m_layout.extent[2]);
  }
  std::size_t get_size() const noexcept { return get_count() * m_layout.traits.texel_bytes(); }
  range<Dimensions> get_range() const noexcept {
    range<Dimensions> result{};
    for (int d = 0; d < Dimensions; ++d) result[d] = static_cast<std::size_t>(m_layout.extent[d]);
    return result;
  }
  template <class... Arguments>
  SINTER_DEVICE_INLINE T read(const Arguments&... arguments) const noexcept {
    return legacy_image_view<T, Dimensions, Mode>(m_layout, &m_texels[0]).read(arguments...);
  }
  template <class Coordinates>
  SINTER_DEVICE_INLINE void write(const Coordinates& coordinates, const T& color) const noexcept {
    legacy_image_view<T, Dimensions, Mode>(m_layout, &m_texels[0]).write(coordinates, color);
  }

protected:
  template <class Image>
  legacy_image_accessor(const Image& source, const Bytes& texels)
      : m_texels(texels), m_layout(image_access::layout(source)) {
    check_pixels("accessor of an image", m_layout.traits, pixel_kind_of<T>);
  }
  Bytes m_texels;
  image_layout m_layout;
};

template <access_mode Mode>
using legacy_image_bytes = accessor<unsigned char, 1, Mode, target::device>;
template <class Image>
auto& texels_of_image(Image& source, handler& group) {
  check_images_of(implementation(group), "accessor of an image");
  return image_access::texels(source);
}

}  // namespace detail

template <class T, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
class accessor<T, Dimensions, Mode, target::image, IsPlaceholder>
    : public detail::legacy_image_accessor<T, Dimensions, Mode, detail::legacy_image_bytes<Mode>> {
  using bytes = detail::legacy_image_bytes<Mode>;

public:
  template <class Allocator>
  accessor(image<Dimensions, Allocator>& source, handler& group, const property_list& = {})
      : detail::legacy_image_accessor<T, Dimensions, Mode, bytes>(
            source, bytes(detail::texels_of_image(source, group), group)) {}
};

template <class T, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
class accessor<T, Dimensions, Mode, target::host_image, IsPlaceholder>
    : public detail::legacy_image_accessor<T, Dimensions, Mode, host_accessor<unsigned char, 1, Mode>> {
  using bytes = host_accessor<unsigned char, 1, Mode>;

public:
 template <class Allocator>
 explicit accessor(image<Dimensions, Allocator>& source, const property_list& = {})
     : detail::legacy_image_accessor<T, Dimensions, Mode, bytes>(source, bytes(detail::image_access::texels(source))) {}
};

/// Accesses the slices of an image that has one more dimension: accessor[i].read(coordinates, sampler).
template <class T, int Dimensions, access_mode Mode, access::placeholder IsPlaceholder>
class accessor<T, Dimensions, Mode, target::image_array, IsPlaceholder>
    : detail::legacy_image_accessor<T, Dimensions + 1, Mode, detail::legacy_image_bytes<Mode>> {
  using bytes = detail::legacy_image_bytes<Mode>;
  using base = detail::legacy_image_accessor<T, Dimensions + 1, Mode, bytes>;

public:
  template <class Allocator>
  accessor(image<Dimensions + 1, Allocator>& source, handler& group, const property_list& = {})
      : base(source, bytes(detail::texels_of_image(source, group), group)) {}
  using base::get_count, base::get_range, base::get_size;
  SINTER_DEVICE_INLINE detail::legacy_image_view<T, Dimensions, Mode> operator[](std::size_t index) const noexcept {
    detail::image_layout layout = this->m_layout;
    const std::size_t pitch = Dimensions == 1 ? layout.row_pitch : layout.slice_pitch;
    const auto slice = static_cast<std::size_t>(
        detail::bounded_index(static_cast<std::int32_t>(index), layout.extent[Dimensions]));
    layout.extent[Dimensions] = 1;
    return {layout, &this->m_texels[0] + slice * pitch};
  }
};

}  // namespace sycl

template <>
struct std::hash<sycl::sampler> {
  std::size_t operator()(const sycl::sampler& object) const noexcept {
    return (static_cast<std::size_t>(object.get_addressing_mode()) * 2 +
            static_cast<std::size_t>(object.get_filtering_mode())) * 2 +
           static_cast<std::size_t>(object.get_coordinate_normalization_mode());
  }
};
template <int Dimensions, class Allocator>
struct std::hash<sycl::image<Dimensions, Allocator>> {
  std::size_t operator()(const sycl::image<Dimensions, Allocator>& object) const noexcept {
    return std::hash<sycl::buffer<unsigned char, 1>>()(
        sycl::detail::image_access::texels(const_cast<sycl::image<Dimensions, Allocator>&>(object)));
  }
};
