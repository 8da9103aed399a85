#pragma once
/// Objects of CUDA's driver behind images, and memory and semaphores of graphics interfaces, as
/// sycl_ext_oneapi_bindless_images names them.
///
/// No device has aspect::ext_oneapi_external_memory_import or aspect::ext_oneapi_external_semaphore_import: programs
/// that ask for the aspects compile, and each of these functions is errc::feature_not_supported.

#include <cstddef>
#include <cstdint>

#include "../../backend.hpp"
#include "../../detail/image_copies.hpp"
#include "bindless_images_memory.hpp"

namespace sycl::inline _V1 {
namespace detail {

template <>
struct native_object<backend::ext_oneapi_cuda, ext::oneapi::experimental::sampled_image_handle>
    : std::type_identity<unsigned long long> {};
template <>
struct native_object<backend::ext_oneapi_cuda, ext::oneapi::experimental::unsampled_image_handle>
    : std::type_identity<unsigned long long> {};
template <>
struct native_object<backend::ext_oneapi_cuda, ext::oneapi::experimental::image_mem> : std::type_identity<void*> {};

// errc::invalid if the driver has no such object: the image is not in memory of texture units, or it was destroyed.
SINTER_EXPORT unsigned long long native_texture(std::uint64_t handle);
SINTER_EXPORT unsigned long long native_surface(std::uint64_t handle);
SINTER_EXPORT void* native_array(image_mem_handle memory);

}  // namespace detail

/// CUtexObject; lives as long as the handle. errc::invalid if texture units don't sample the image.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_cuda)
backend_return_t<Backend, ext::oneapi::experimental::sampled_image_handle> get_native(
    const ext::oneapi::experimental::sampled_image_handle& handle) {
  return detail::native_texture(handle.raw_handle);
}
/// CUsurfObject, likewise.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_cuda)
backend_return_t<Backend, ext::oneapi::experimental::unsampled_image_handle> get_native(
    const ext::oneapi::experimental::unsampled_image_handle& handle) {
  return detail::native_surface(handle.raw_handle);
}
/// CUarray, for mip maps CUmipmappedArray, as void*; lives as long as the memory.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_cuda)
backend_return_t<Backend, ext::oneapi::experimental::image_mem> get_native(
    const ext::oneapi::experimental::image_mem& memory) {
  return detail::native_array(memory.get_handle());
}

namespace ext::oneapi::experimental {

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

}  // namespace ext::oneapi::experimental
}  // namespace sycl
