#pragma once
/// Memory and semaphores of graphics interfaces, as sycl_ext_oneapi_bindless_images names them.
///
/// No device has aspect::ext_oneapi_external_memory_import or aspect::ext_oneapi_external_semaphore_import: programs
/// that ask for the aspects compile, and each of these functions is errc::feature_not_supported.

#include <cstddef>
#include <cstdint>

#include "../../detail/image_copies.hpp"
#include "bindless_images_memory.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class external_mem_handle_type {
  opaque_fd,
  win32_nt_handle,
  win32_nt_dx12_resource,
  dma_buf,
  win32_nt_dx11_resource
};
enum class external_semaphore_handle_type {
  opaque_fd,
  win32_nt_handle,
  win32_nt_dx12_fence,
  timeline_fd,
  timeline_win32_nt_handle
};

struct resource_fd {
  int file_descriptor;
};
struct resource_win32_handle {
  void* handle;
};
struct resource_win32_name {
  const void* name;
};

template <class Resource>
struct external_mem_descriptor {
  Resource external_resource;
  external_mem_handle_type handle_type;
  std::size_t size_in_bytes;
};
template <class Resource>
struct external_semaphore_descriptor {
  Resource external_resource;
  external_semaphore_handle_type handle_type;
};

struct external_mem {
  using raw_handle_type = std::uint64_t;
  raw_handle_type raw_handle = 0;
};
struct external_semaphore {
  using raw_handle_type = std::uint64_t;
  raw_handle_type raw_handle = 0;
  external_semaphore_handle_type handle_type = external_semaphore_handle_type::opaque_fd;
};

// The last arguments: a device and a context, or a queue.
template <class Resource, class... Where>
external_mem import_external_memory(const external_mem_descriptor<Resource>&, const Where&...) {
  sycl::detail::throw_no_external("import_external_memory");
}
template <class... Where>
image_mem_handle map_external_image_memory(const external_mem&, const image_descriptor&, const Where&...) {
  sycl::detail::throw_no_external("map_external_image_memory");
}
template <class... Where>
void* map_external_linear_memory(const external_mem&, std::uint64_t /*offset*/, std::uint64_t /*bytes*/,
                                 const Where&...) {
  sycl::detail::throw_no_external("map_external_linear_memory");
}
template <class... Where>
void unmap_external_image_memory(image_mem_handle, image_type, const Where&...) {
  sycl::detail::throw_no_external("unmap_external_image_memory");
}
template <class... Where>
void unmap_external_linear_memory(void*, const Where&...) {
  sycl::detail::throw_no_external("unmap_external_linear_memory");
}
template <class... Where>
void release_external_memory(const external_mem&, const Where&...) {
  sycl::detail::throw_no_external("release_external_memory");
}
template <class Resource, class... Where>
external_semaphore import_external_semaphore(const external_semaphore_descriptor<Resource>&, const Where&...) {
  sycl::detail::throw_no_external("import_external_semaphore");
}
template <class... Where>
void release_external_semaphore(const external_semaphore&, const Where&...) {
  sycl::detail::throw_no_external("release_external_semaphore");
}

}  // namespace sycl::ext::oneapi::experimental
