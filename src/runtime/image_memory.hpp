#pragma once
/// Memory of bindless images, in the form that creation and copies use.

#include <array>
#include <cstddef>
#include <vector>

#include <sycl/detail/image_record.hpp>
#include <sycl/ext/oneapi/bindless_images_memory.hpp>

namespace sycl::inline _V1::detail {

struct image_memory {
  unsigned char* data = nullptr;
  std::size_t bytes = 0;
  ext::oneapi::experimental::image_descriptor shape;
  std::vector<void*> levels;  ///< handles; empty: it has only one level
  bool is_level = false;
};

/// errc::invalid if no image has the handle.
const image_memory& memory_of(ext::oneapi::experimental::image_mem_handle handle, const char* call);

/// The layout of an image without pitches: its layers, or its levels, follow each other. The descriptor is verified;
/// `bytes` may be abi::too_many_bytes.
struct image_sizes {
  explicit image_sizes(const ext::oneapi::experimental::image_descriptor& shape);
  image_layout layout;
  unsigned levels = 1, layers = 1;
  std::size_t layer_bytes = 0, bytes = 0;
  std::array<std::size_t, most_image_levels> level_offset{}, level_bytes{};
};

}  // namespace sycl::detail
