#pragma once
/// Image memory, samplers and image handles of sycl_ext_oneapi_bindless_images. Functions that kernels call are in
/// bindless_images.hpp.
///
/// Image memory is either USM memory on the device, or memory of the device's texture units, which has no addresses for
/// kernels. A handle contains the address of a record on the device. So a handle is a number, which programs may store
/// anywhere. All devices with USM support bindless images.

#include <cstddef>
#include <cstdint>

#include "../../context.hpp"
#include "../../detail/image_copies.hpp"
#include "../../detail/image_sampling.hpp"
#include "../../detail/shared.hpp"
#include "../../device.hpp"
#include "../../image.hpp"
#include "../../range.hpp"
#include "../../usm.hpp"

#define SYCL_EXT_ONEAPI_BINDLESS_IMAGES 7
#define __SYCL_ANY_DEVICE_HAS_ext_oneapi_bindless_images__ 1  // programs written for DPC++ test this macro

namespace sycl::inline _V1 {
namespace ext::oneapi::experimental {

/// Programs write sycl::image_channel_type or the name in this namespace. Images of packed types are not supported as
/// bindless images.
using sycl::image_channel_type;
enum class image_type : unsigned int { standard, mipmap, array, cubemap, gather };
enum class cubemap_filtering_mode : unsigned int { disjointed, seamless };

/// Extents are in texels; an extent of 0 means that the image lacks the dimension.
struct image_descriptor {
  std::size_t width = 0, height = 0, depth = 0;
  unsigned int num_channels = 4;
  image_channel_type channel_type = image_channel_type::fp32;
  image_type type = image_type::standard;
  unsigned int num_levels = 1;
  unsigned int array_size = 1;

  image_descriptor() = default;
  image_descriptor(range<1> size, unsigned int channels, image_channel_type its_channel_type,
                   image_type its_type = image_type::standard, unsigned int levels = 1, unsigned int layers = 1)
      : image_descriptor(range<3>(size[0], 0, 0), channels, its_channel_type, its_type, levels, layers) {}
  image_descriptor(range<2> size, unsigned int channels, image_channel_type its_channel_type,
                   image_type its_type = image_type::standard, unsigned int levels = 1, unsigned int layers = 1)
      : image_descriptor(range<3>(size[0], size[1], 0), channels, its_channel_type, its_type, levels, layers) {}
  image_descriptor(range<3> size, unsigned int channels, image_channel_type its_channel_type,
                   image_type its_type = image_type::standard, unsigned int levels = 1, unsigned int layers = 1)
      : width(size[0]),
        height(size[1]),
        depth(size[2]),
        num_channels(channels),
        channel_type(its_channel_type),
        type(its_type),
        num_levels(levels),
        array_size(layers) {}

  /// Returns the descriptor of a mip level: each extent is halved once per level, but is at least 1. Throws
  /// errc::invalid if the image does not have the level.
  SINTER_EXPORT image_descriptor get_mip_level_desc(unsigned int level) const;
  /// Throws errc::invalid if the members contradict each other.
  SINTER_EXPORT void verify() const;
};

/// For normalized coordinates, addressing_mode::none means repeat. For other coordinates, none, repeat and
/// mirrored_repeat mean clamp_to_edge.
struct bindless_image_sampler {
  addressing_mode addressing[3] = {addressing_mode::none, addressing_mode::none, addressing_mode::none};
  coordinate_normalization_mode coordinate = coordinate_normalization_mode::unnormalized;
  filtering_mode filtering = filtering_mode::nearest;
  filtering_mode mipmap_filtering = filtering_mode::nearest;
  float min_mipmap_level_clamp = 0, max_mipmap_level_clamp = 0;
  float max_anisotropy = 0;  ///< has no effect
  cubemap_filtering_mode cubemap_filtering = cubemap_filtering_mode::disjointed;

  bindless_image_sampler(addressing_mode mode, coordinate_normalization_mode normalization, filtering_mode filter)
      : addressing{mode, mode, mode}, coordinate(normalization), filtering(filter) {}
  bindless_image_sampler(const addressing_mode (&modes)[3], coordinate_normalization_mode normalization,
                         filtering_mode filter)
      : addressing{modes[0], modes[1], modes[2]}, coordinate(normalization), filtering(filter) {}
  bindless_image_sampler(addressing_mode mode, coordinate_normalization_mode normalization, filtering_mode filter,
                         filtering_mode between_levels, float least_level, float most_level, float anisotropy)
      : bindless_image_sampler(mode, normalization, filter) {
    set_levels(between_levels, least_level, most_level, anisotropy);
  }
  bindless_image_sampler(const addressing_mode (&modes)[3], coordinate_normalization_mode normalization,
                         filtering_mode filter, filtering_mode between_levels, float least_level, float most_level,
                         float anisotropy)
      : bindless_image_sampler(modes, normalization, filter) {
    set_levels(between_levels, least_level, most_level, anisotropy);
  }
  bindless_image_sampler(addressing_mode mode, coordinate_normalization_mode normalization, filtering_mode filter,
                         cubemap_filtering_mode between_faces)
      : bindless_image_sampler(mode, normalization, filter) {
    cubemap_filtering = between_faces;
  }
  bindless_image_sampler(const addressing_mode (&modes)[3], coordinate_normalization_mode normalization,
                         filtering_mode filter, cubemap_filtering_mode between_faces)
      : bindless_image_sampler(modes, normalization, filter) {
    cubemap_filtering = between_faces;
  }

private:
  void set_levels(filtering_mode between_levels, float least_level, float most_level, float anisotropy) noexcept {
    mipmap_filtering = between_levels;
    min_mipmap_level_clamp = least_level;
    max_mipmap_level_clamp = most_level;
    max_anisotropy = anisotropy;
  }
};

/// An opaque handle; 0 means no image. Kernels may capture a handle, or read it from memory.
struct unsampled_image_handle {
  using raw_image_handle_type = std::uint64_t;
  raw_image_handle_type raw_handle = 0;
  unsampled_image_handle() = default;
  unsampled_image_handle(raw_image_handle_type number) noexcept : raw_handle(number) {}
};
struct sampled_image_handle {
  using raw_image_handle_type = std::uint64_t;
  raw_image_handle_type raw_handle = 0;
  sampled_image_handle() = default;
  sampled_image_handle(raw_image_handle_type number) noexcept : raw_handle(number) {}
};

/// Throws errc::memory_allocation if the device has no memory left, errc::invalid if image_descriptor::verify would
/// throw it, and errc::feature_not_supported if the device does not support such images.
SINTER_EXPORT image_mem_handle alloc_image_mem(const image_descriptor& shape, const device& device,
                                               const context& context);
/// Frees the memory, which also makes the handles of its mip levels invalid. Throws errc::invalid if the memory was
/// already freed.
SINTER_EXPORT void free_image_mem(image_mem_handle memory, image_type type, const device& device,
                                  const context& context);
/// Throws errc::invalid if the image does not have the level.
SINTER_EXPORT image_mem_handle get_mip_level_mem_handle(image_mem_handle memory, unsigned int level,
                                                        const device& device, const context& context);
SINTER_EXPORT range<3> get_image_range(image_mem_handle memory, const device& device, const context& context);
SINTER_EXPORT image_channel_type get_image_channel_type(image_mem_handle memory, const device& device,
                                                        const context& context);
SINTER_EXPORT unsigned int get_image_num_channels(image_mem_handle memory, const device& device,
                                                  const context& context);

/// Throws errc::runtime for a mip map without a sampler, which mip maps need. Throws errc::invalid if an image of this
/// shape is larger than the memory. For memory of texture units, the function also throws errc::invalid if the memory
/// was allocated with another shape.
SINTER_EXPORT unsampled_image_handle create_image(image_mem_handle memory, const image_descriptor& shape,
                                                  const device& device, const context& context);
SINTER_EXPORT sampled_image_handle create_image(image_mem_handle memory, const bindless_image_sampler& sampler,
                                                const image_descriptor& shape, const device& device,
                                                const context& context);
/// Makes an image of the texels in USM memory. `pitch` is the distance between rows in bytes; 0 means that there are no
/// gaps between rows.
SINTER_EXPORT unsampled_image_handle create_image(void* memory, std::size_t pitch, const image_descriptor& shape,
                                                  const device& device, const context& context);
SINTER_EXPORT sampled_image_handle create_image(void* memory, std::size_t pitch, const bindless_image_sampler& sampler,
                                                const image_descriptor& shape, const device& device,
                                                const context& context);
/// Destroys the handle but does not free the image's memory. The program may call this function while commands that use
/// the handle still run. Throws errc::invalid if the handle was already destroyed.
SINTER_EXPORT void destroy_image_handle(unsampled_image_handle& handle, const device& device, const context& context);
SINTER_EXPORT void destroy_image_handle(sampled_image_handle& handle, const device& device, const context& context);

/// Allocates USM memory on the device for `height` rows of `width_bytes` bytes. Stores the distance from row to row in
/// `*pitch`. This distance is a multiple of info::device::image_row_pitch_align.
SINTER_EXPORT void* pitched_alloc_device(std::size_t* pitch, std::size_t width_bytes, std::size_t height,
                                         unsigned int element_bytes, const device& device, const context& context);
SINTER_EXPORT void* pitched_alloc_device(std::size_t* pitch, const image_descriptor& shape, const device& device,
                                         const context& context);

/// Owns the memory of an image. Copies of this object own the memory jointly.
class image_mem {
public:
  image_mem() = default;
  image_mem(const image_descriptor& shape, const device& device, const context& context)
      : m_owned(detail::make_counted<owned_memory>(shape, device, context)) {}
  image_mem(const image_descriptor& shape, const queue& queue)
      : image_mem(shape, detail::device_of(queue), detail::context_of(queue)) {}

  image_mem_handle get_handle() const { return m_owned->handle; }
  const image_descriptor& get_descriptor() const { return m_owned->shape; }
  device get_device() const { return m_owned->home; }
  context get_context() const { return m_owned->around; }
  range<3> get_range() const { return {m_owned->shape.width, m_owned->shape.height, m_owned->shape.depth}; }
  image_channel_type get_channel_type() const { return m_owned->shape.channel_type; }
  unsigned int get_num_channels() const { return m_owned->shape.num_channels; }
  image_type get_type() const { return m_owned->shape.type; }
  image_mem_handle get_mip_level_mem_handle(unsigned int level) const {
    return experimental::get_mip_level_mem_handle(m_owned->handle, level, m_owned->home, m_owned->around);
  }
  friend bool operator==(const image_mem& a, const image_mem& b) noexcept { return a.m_owned == b.m_owned; }
  friend bool operator!=(const image_mem& a, const image_mem& b) noexcept { return !(a == b); }

private:
  struct owned_memory : detail::counted {
    owned_memory(const image_descriptor& its_shape, const device& device, const context& context)
        : shape(its_shape), home(device), around(context), handle(alloc_image_mem(its_shape, device, context)) {}
    ~owned_memory() override { free_image_mem(handle, shape.type, home, around); }
    image_descriptor shape;
    device home;
    context around;
    image_mem_handle handle;
  };
  friend struct std::hash<image_mem>;
  detail::shared<owned_memory> m_owned;
};

// These overloads take the memory as an object, or a queue instead of device and context, or the sampler after the
// descriptor, like earlier versions of the extension.
inline unsampled_image_handle create_image(const image_mem& memory, const image_descriptor& shape, const device& device,
                                           const context& context) {
  return create_image(memory.get_handle(), shape, device, context);
}
inline sampled_image_handle create_image(const image_mem& memory, const bindless_image_sampler& sampler,
                                         const image_descriptor& shape, const device& device, const context& context) {
  return create_image(memory.get_handle(), sampler, shape, device, context);
}
template <class Memory>
sampled_image_handle create_image(const Memory& memory, const image_descriptor& shape,
                                  const bindless_image_sampler& sampler, const device& device, const context& context) {
  return create_image(memory, sampler, shape, device, context);
}
inline sampled_image_handle create_image(void* memory, std::size_t pitch, const image_descriptor& shape,
                                         const bindless_image_sampler& sampler, const device& device,
                                         const context& context) {
  return create_image(memory, pitch, sampler, shape, device, context);
}
/// Makes an image of the texels in memory without gaps between rows.
inline sampled_image_handle create_image(void* memory, const bindless_image_sampler& sampler,
                                         const image_descriptor& shape, const device& device, const context& context) {
  return create_image(memory, 0, sampler, shape, device, context);
}
template <class Memory>
unsampled_image_handle create_image(const Memory& memory, const image_descriptor& shape, const queue& queue) {
  return create_image(memory, shape, detail::device_of(queue), detail::context_of(queue));
}
template <class Memory>
sampled_image_handle create_image(const Memory& memory, const bindless_image_sampler& sampler,
                                  const image_descriptor& shape, const queue& queue) {
  return create_image(memory, sampler, shape, detail::device_of(queue), detail::context_of(queue));
}
template <class Memory>
sampled_image_handle create_image(const Memory& memory, const image_descriptor& shape,
                                  const bindless_image_sampler& sampler, const queue& queue) {
  return create_image(memory, sampler, shape, detail::device_of(queue), detail::context_of(queue));
}
inline unsampled_image_handle create_image(void* memory, std::size_t pitch, const image_descriptor& shape,
                                           const queue& queue) {
  return create_image(memory, pitch, shape, detail::device_of(queue), detail::context_of(queue));
}
inline sampled_image_handle create_image(void* memory, std::size_t pitch, const bindless_image_sampler& sampler,
                                         const image_descriptor& shape, const queue& queue) {
  return create_image(memory, pitch, sampler, shape, detail::device_of(queue), detail::context_of(queue));
}
inline sampled_image_handle create_image(void* memory, std::size_t pitch, const image_descriptor& shape,
                                         const bindless_image_sampler& sampler, const queue& queue) {
  return create_image(memory, pitch, sampler, shape, detail::device_of(queue), detail::context_of(queue));
}
template <class Handle>
void destroy_image_handle(Handle& handle, const queue& queue) {
  destroy_image_handle(handle, detail::device_of(queue), detail::context_of(queue));
}
inline image_mem_handle alloc_image_mem(const image_descriptor& shape, const queue& queue) {
  return alloc_image_mem(shape, detail::device_of(queue), detail::context_of(queue));
}
inline void free_image_mem(image_mem_handle memory, image_type type, const queue& queue) {
  free_image_mem(memory, type, detail::device_of(queue), detail::context_of(queue));
}
inline image_mem_handle get_mip_level_mem_handle(image_mem_handle memory, unsigned int level, const queue& queue) {
  return get_mip_level_mem_handle(memory, level, detail::device_of(queue), detail::context_of(queue));
}
inline range<3> get_image_range(image_mem_handle memory, const queue& queue) {
  return get_image_range(memory, detail::device_of(queue), detail::context_of(queue));
}
inline image_channel_type get_image_channel_type(image_mem_handle memory, const queue& queue) {
  return get_image_channel_type(memory, detail::device_of(queue), detail::context_of(queue));
}
inline unsigned int get_image_num_channels(image_mem_handle memory, const queue& queue) {
  return get_image_num_channels(memory, detail::device_of(queue), detail::context_of(queue));
}
inline void* pitched_alloc_device(std::size_t* pitch, std::size_t width_bytes, std::size_t height,
                                  unsigned int element_bytes, const queue& queue) {
  return pitched_alloc_device(pitch, width_bytes, height, element_bytes, detail::device_of(queue),
                              detail::context_of(queue));
}
inline void* pitched_alloc_device(std::size_t* pitch, const image_descriptor& shape, const queue& queue) {
  return pitched_alloc_device(pitch, shape, detail::device_of(queue), detail::context_of(queue));
}

namespace info::device {
struct image_row_pitch_align {
  using return_type = std::uint32_t;
};
struct max_image_linear_width {
  using return_type = std::size_t;
};
struct max_image_linear_height {
  using return_type = std::size_t;
};
struct max_image_linear_row_pitch {
  using return_type = std::size_t;
};
struct mipmap_max_anisotropy {
  using return_type = float;
};
}  // namespace info::device

}  // namespace ext::oneapi::experimental

// 16 bytes are the size of the largest texel, and rows need no larger alignment. Anisotropic filters are not supported.
template <>
inline std::uint32_t device::get_info<ext::oneapi::experimental::info::device::image_row_pitch_align>() const {
  return 16;
}
template <>
inline std::size_t device::get_info<ext::oneapi::experimental::info::device::max_image_linear_width>() const {
  return detail::most_texels;
}
template <>
inline std::size_t device::get_info<ext::oneapi::experimental::info::device::max_image_linear_height>() const {
  return detail::most_texels;
}
template <>
inline std::size_t device::get_info<ext::oneapi::experimental::info::device::max_image_linear_row_pitch>() const {
  return detail::most_texels * 16;
}
template <>
inline float device::get_info<ext::oneapi::experimental::info::device::mipmap_max_anisotropy>() const {
  return 1;
}

}  // namespace sycl

template <>
struct std::hash<sycl::ext::oneapi::experimental::image_mem> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::image_mem& object) const noexcept {
    return std::hash<const void*>()(object.m_owned.address());
  }
};
