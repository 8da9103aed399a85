#pragma once
/// handler::ext_oneapi_copy and queue::ext_oneapi_copy of sycl_ext_oneapi_bindless_images.
/// ext/oneapi/bindless_images.hpp defines the types that are only declared here.
///
/// Offsets and extents count texels, with x first. For dimensions that the image lacks, they may be 0. The layers of
/// arrays and the faces of cubemaps are the third dimension. Host memory has no gaps between rows. A pitch is the
/// distance between rows of the USM memory, in bytes. The functions throw errc::invalid for null pointers, for unknown
/// handles, for regions that do not lie inside both source and destination, for texels of different sizes, and for
/// pitches that are too small.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../event.hpp"
#include "../range.hpp"
#include "compiled_core.hpp"

namespace sycl::inline _V1 {

class handler;
namespace ext::oneapi::experimental {
/// A handle of memory for an image, or for one mip level of an image.
struct image_mem_handle {
  using raw_handle_type = void*;
  raw_handle_type raw_handle = nullptr;
};
struct image_descriptor;
struct external_semaphore;
}  // namespace ext::oneapi::experimental

namespace detail {

SINTER_EXPORT handler_impl& implementation(handler& group) noexcept;

using image_mem_handle = ext::oneapi::experimental::image_mem_handle;
using image_descriptor = ext::oneapi::experimental::image_descriptor;
using external_semaphore = ext::oneapi::experimental::external_semaphore;

/// If `waits`, makes the command wait for the semaphore; otherwise makes the command signal the semaphore. Counting
/// semaphores need a `value`; for other semaphores, `value` is null.
SINTER_EXPORT void use_semaphore(handler_impl& command, const external_semaphore& semaphore,
                                 const std::uint64_t* value, bool waits);

// Lists the parameters of all copies: first of whole images, then of parts of images. Source and destination are host
// memory, USM memory or an image.
#define SINTER_IMAGE_COPIES(form) \
  form((const void* source, image_mem_handle destination, const image_descriptor& shape), \
       (source, destination, shape)) \
  form((image_mem_handle source, void* destination, const image_descriptor& shape), (source, destination, shape)) \
  form((const void* source, void* destination, const image_descriptor& shape, std::size_t row_pitch), \
       (source, destination, shape, row_pitch)) \
  form((image_mem_handle source, image_mem_handle destination, const image_descriptor& shape), \
       (source, destination, shape)) \
  form((const void* source, range<3> source_offset, range<3> source_extent, image_mem_handle destination, \
        range<3> destination_offset, const image_descriptor& shape, range<3> extent), \
       (source, source_offset, source_extent, destination, destination_offset, shape, extent)) \
  form((image_mem_handle source, range<3> source_offset, const image_descriptor& shape, void* destination, \
        range<3> destination_offset, range<3> destination_extent, range<3> extent), \
       (source, source_offset, shape, destination, destination_offset, destination_extent, extent)) \
  form((const void* source, range<3> source_offset, void* destination, range<3> destination_offset, \
        const image_descriptor& shape, std::size_t row_pitch, range<3> host_extent, range<3> extent), \
       (source, source_offset, destination, destination_offset, shape, row_pitch, host_extent, extent)) \
  form((image_mem_handle source, range<3> source_offset, const image_descriptor& source_shape, \
        image_mem_handle destination, range<3> destination_offset, const image_descriptor& destination_shape, \
        range<3> extent), \
       (source, source_offset, source_shape, destination, destination_offset, destination_shape, extent))

#define SINTER_UNPACK(...) __VA_ARGS__
#define SINTER_IMAGE_COPY(parameters, arguments) \
  SINTER_EXPORT void copy_image(handler_impl& command, SINTER_UNPACK parameters);
SINTER_IMAGE_COPIES(SINTER_IMAGE_COPY)
#undef SINTER_IMAGE_COPY

/// This class is a base class of handler. Its functions copy images and use external semaphores.
template <class Handler>
class image_copies {
public:
  /// The wait ends when another user of the semaphore has signalled it, or has set it to `value`. Later commands start
  /// only after this wait. Throws errc::feature_not_supported in graphs, or if the device lacks
  /// aspect::ext_oneapi_external_semaphore_import.
  void ext_oneapi_wait_external_semaphore(const external_semaphore& semaphore) {
    use_external(semaphore, nullptr, true);
  }
  void ext_oneapi_wait_external_semaphore(const external_semaphore& semaphore, std::uint64_t value) {
    use_external(semaphore, &value, true);
  }
  void ext_oneapi_signal_external_semaphore(const external_semaphore& semaphore) {
    use_external(semaphore, nullptr, false);
  }
  void ext_oneapi_signal_external_semaphore(const external_semaphore& semaphore, std::uint64_t value) {
    use_external(semaphore, &value, false);
  }
#define SINTER_IMAGE_COPY(parameters, arguments) \
  void ext_oneapi_copy(SINTER_UNPACK parameters) { \
    copy_image(implementation(static_cast<Handler&>(*this)), SINTER_UNPACK arguments); \
  }
  SINTER_IMAGE_COPIES(SINTER_IMAGE_COPY)
#undef SINTER_IMAGE_COPY

private:
  void use_external(const external_semaphore& semaphore, const std::uint64_t* value, bool waits) {
    use_semaphore(implementation(static_cast<Handler&>(*this)), semaphore, value, waits);
  }
};

/// This class is a base class of queue. Its functions submit the functions of image_copies to the queue. Each call
/// submits a command, which waits for the given events.
template <class Queue>
class image_copy_commands {
public:
#define SINTER_SEMAPHORE_USE(name) \
  event name(const external_semaphore& semaphore) { \
    return use_external([&](auto& group) { group.name(semaphore); }); \
  } \
  event name(const external_semaphore& semaphore, std::uint64_t value) { \
    return use_external([&](auto& group) { group.name(semaphore, value); }); \
  } \
  template <class Events> \
    requires(!std::is_arithmetic_v<Events>) \
  event name(const external_semaphore& semaphore, const Events& dependencies) { \
    return use_external([&](auto& group) { group.depends_on(dependencies), group.name(semaphore); }); \
  } \
  template <class Events> \
  event name(const external_semaphore& semaphore, std::uint64_t value, const Events& dependencies) { \
    return use_external([&](auto& group) { group.depends_on(dependencies), group.name(semaphore, value); }); \
  }
  SINTER_SEMAPHORE_USE(ext_oneapi_wait_external_semaphore)
  SINTER_SEMAPHORE_USE(ext_oneapi_signal_external_semaphore)
#undef SINTER_SEMAPHORE_USE
#define SINTER_IMAGE_COPY(parameters, arguments) \
  event ext_oneapi_copy(SINTER_UNPACK parameters) { \
    return static_cast<Queue&>(*this).submit([&](auto& group) { group.ext_oneapi_copy(SINTER_UNPACK arguments); }); \
  } \
  event ext_oneapi_copy(SINTER_UNPACK parameters, const event& dependency) { \
    return static_cast<Queue&>(*this).submit([&](auto& group) { \
      group.depends_on(dependency), group.ext_oneapi_copy(SINTER_UNPACK arguments); \
    }); \
  } \
  event ext_oneapi_copy(SINTER_UNPACK parameters, const std::vector<event>& dependencies) { \
    return static_cast<Queue&>(*this).submit([&](auto& group) { \
      group.depends_on(dependencies), group.ext_oneapi_copy(SINTER_UNPACK arguments); \
    }); \
  }
  SINTER_IMAGE_COPIES(SINTER_IMAGE_COPY)
#undef SINTER_IMAGE_COPY

private:
  template <class Group>
  event use_external(const Group& group) {
    return static_cast<Queue&>(*this).submit(group);
  }
};

#undef SINTER_UNPACK
#undef SINTER_IMAGE_COPIES

}  // namespace detail
}  // namespace sycl
