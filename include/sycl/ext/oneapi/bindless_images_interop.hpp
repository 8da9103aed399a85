#pragma once
/// The parts of sycl_ext_oneapi_bindless_images that work with other interfaces: access to the CUDA driver's image
/// objects, and imports of memory and semaphores from graphics interfaces.
///
/// Devices with aspect::ext_oneapi_external_memory_import and aspect::ext_oneapi_external_semaphore_import (NVIDIA's
/// GPUs) can import file descriptors: memory of type opaque_fd, and semaphores of types opaque_fd and timeline_fd. The
/// driver owns a file descriptor after the import. The functions throw errc::feature_not_supported for other types of
/// memory and semaphores. The functions throw errc::invalid for handles that were never imported, or that were already
/// released.

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

// These functions throw errc::invalid if the driver has no such object, because the image's memory does not belong to
// texture units or because the image was destroyed.
SINTER_EXPORT unsigned long long native_texture(std::uint64_t handle);
SINTER_EXPORT unsigned long long native_surface(std::uint64_t handle);
SINTER_EXPORT void* native_array(image_mem_handle memory);

/// `kind` is the number of the handle's type in the extension's enumeration. `descriptor` is the file descriptor, or -1
/// for Windows' resources.
SINTER_EXPORT std::uint64_t import_external(int descriptor, int kind, std::size_t bytes, const device& device,
                                            const context& context);
SINTER_EXPORT image_mem_handle map_external(std::uint64_t memory, const image_descriptor& shape, const device& device,
                                            const context& context);
SINTER_EXPORT void* map_external(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes, const device& device,
                                 const context& context);
SINTER_EXPORT void unmap_external(void* memory);
SINTER_EXPORT void release_external(std::uint64_t memory);
SINTER_EXPORT std::uint64_t import_semaphore(int descriptor, int kind, const device& device, const context& context);
SINTER_EXPORT void release_semaphore(std::uint64_t semaphore);
template <class Resource>
int descriptor_of(const Resource& resource) noexcept {
  if constexpr (requires { resource.file_descriptor; }) return resource.file_descriptor;
  else return -1;
}

}  // namespace detail

/// Returns the CUtexObject of an image. The object exists as long as the image's handle. Throws errc::invalid if
/// texture units don't sample the image.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_cuda)
backend_return_t<Backend, ext::oneapi::experimental::sampled_image_handle> get_native(
    const ext::oneapi::experimental::sampled_image_handle& handle) {
  return detail::native_texture(handle.raw_handle);
}
/// Returns the CUsurfObject of an image. The object exists as long as the image's handle. Throws errc::invalid if
/// texture units don't read the image.
template <backend Backend>
  requires(Backend == backend::ext_oneapi_cuda)
backend_return_t<Backend, ext::oneapi::experimental::unsampled_image_handle> get_native(
    const ext::oneapi::experimental::unsampled_image_handle& handle) {
  return detail::native_surface(handle.raw_handle);
}
/// Returns, as void*, the CUarray of image memory, or the CUmipmappedArray of a mip map. The array exists as long as
/// the image memory.
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

template <class Resource>
external_mem import_external_memory(const external_mem_descriptor<Resource>& from, const device& device,
                                    const context& context) {
  return {sycl::detail::import_external(sycl::detail::descriptor_of(from.external_resource),
                                        static_cast<int>(from.handle_type), from.size_in_bytes, device, context)};
}
template <class Resource>
external_mem import_external_memory(const external_mem_descriptor<Resource>& from, const queue& queue) {
  return import_external_memory(from, queue.get_device(), queue.get_context());
}
/// Maps the beginning of the external memory as the memory of an image. The result is valid until
/// unmap_external_image_memory. The image's memory belongs to texture units. Texture units can't read images with three
/// channels, so the function throws errc::feature_not_supported for such images.
inline image_mem_handle map_external_image_memory(const external_mem& memory, const image_descriptor& shape,
                                                  const device& device, const context& context) {
  return sycl::detail::map_external(memory.raw_handle, shape, device, context);
}
inline image_mem_handle map_external_image_memory(const external_mem& memory, const image_descriptor& shape,
                                                  const queue& queue) {
  return map_external_image_memory(memory, shape, queue.get_device(), queue.get_context());
}
/// Maps `size` bytes of the memory as USM memory on the device, until unmap_external_linear_memory.
inline void* map_external_linear_memory(const external_mem& memory, std::uint64_t offset, std::uint64_t size,
                                        const device& device, const context& context) {
  return sycl::detail::map_external(memory.raw_handle, offset, size, device, context);
}
inline void* map_external_linear_memory(const external_mem& memory, std::uint64_t offset, std::uint64_t size,
                                        const queue& queue) {
  return map_external_linear_memory(memory, offset, size, queue.get_device(), queue.get_context());
}
inline void unmap_external_image_memory(image_mem_handle memory, image_type type, const device& device,
                                        const context& context) {
  free_image_mem(memory, type, device, context);
}
inline void unmap_external_image_memory(image_mem_handle memory, image_type type, const queue& queue) {
  free_image_mem(memory, type, queue.get_device(), queue.get_context());
}
/// These functions release or unmap memory or semaphores. When the program calls them, all commands that use the memory
/// or semaphore have to be complete. The last arguments (a device and a context, or a queue) have no effect.
template <class... Where>
void unmap_external_linear_memory(void* memory, const Where&...) {
  sycl::detail::unmap_external(memory);
}
template <class... Where>
void release_external_memory(const external_mem& memory, const Where&...) {
  sycl::detail::release_external(memory.raw_handle);
}
template <class Resource>
external_semaphore import_external_semaphore(const external_semaphore_descriptor<Resource>& from, const device& device,
                                             const context& context) {
  return {sycl::detail::import_semaphore(sycl::detail::descriptor_of(from.external_resource),
                                         static_cast<int>(from.handle_type), device, context),
          from.handle_type};
}
template <class Resource>
external_semaphore import_external_semaphore(const external_semaphore_descriptor<Resource>& from,
                                             const queue& queue) {
  return import_external_semaphore(from, queue.get_device(), queue.get_context());
}
template <class... Where>
void release_external_semaphore(const external_semaphore& semaphore, const Where&...) {
  sycl::detail::release_semaphore(semaphore.raw_handle);
}

}  // namespace ext::oneapi::experimental
}  // namespace sycl
