#pragma once
/// Memory of bindless images, as the functions that make and copy images see it.

#include <array>
#include <atomic>
#include <backends/stream.hpp>
#include <backends/textures.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <sycl/detail/image_record.hpp>
#include <sycl/ext/oneapi/bindless_images_memory.hpp>

namespace sycl::inline _V1::detail {

struct image_memory {
  unsigned char* data = nullptr;
  sinter::device_textures* units = nullptr;
  void* texels = nullptr;  ///< memory of texture units; if it is set, `data` is null
  std::size_t row_alignment = 1;  ///< in bytes
  std::size_t bytes = 0;
  ext::oneapi::experimental::image_descriptor shape;
  std::vector<void*> levels;  ///< handles of the levels; empty: there is only one level
  bool is_level = false;
};

/// Throws errc::invalid if no image has the handle.
const image_memory& memory_of(ext::oneapi::experimental::image_mem_handle handle, const char* call);

/// The number of images that have handles.
inline std::atomic<std::size_t> image_handle_count{0};
/// Returns whether any image has a handle at the moment.
inline bool has_image_handles() noexcept { return image_handle_count.load(std::memory_order_relaxed) != 0; }
/// Returns the traits in the description to which a handle leads, or nullopt if the number is no handle.
std::optional<image_traits> traits_of_handle(std::uint64_t number);

/// Sets up the command as a copy from or to the memory of texture units.
void set_texel_copy(handler_impl& command, const char* name, const sinter::texel_copy& copy);

/// The layout of an image in memory. Layers or levels of the image follow each other without gaps. Rows may have gaps
/// only if the image is a single plane. The descriptor is verified; `bytes` may be abi::too_many_bytes.
struct image_sizes {
  explicit image_sizes(const ext::oneapi::experimental::image_descriptor& shape, std::size_t row_alignment = 1);
  image_layout layout;
  unsigned levels = 1, layers = 1;
  std::size_t layer_bytes = 0, bytes = 0;
  std::array<std::size_t, most_image_levels> level_offset{}, level_bytes{};
};

sinter::texture_shape texture_shape_of(const ext::oneapi::experimental::image_descriptor& shape, image_traits traits);
/// Registers an image that already lies in memory of texture units.
ext::oneapi::experimental::image_mem_handle add_image_memory(const ext::oneapi::experimental::image_descriptor& shape,
                                                             const image_sizes& sizes, sinter::device_textures* units,
                                                             void* texels);

}  // namespace sycl::detail
