#pragma once
/// The device images of this process: registered by constructors of the objects that carry them, gone with those objects.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <vector>

#include "image_view.hpp"

namespace sinter {

/// The validated image of a kernel; null in library mode and for images that were refused.
const image_view* image_of(const abi::kernel_descriptor& kernel) noexcept;

/// What an image calls in others (SYCL_EXTERNAL), directly or through them.
struct image_links {
  std::vector<const abi::image_header*> externals;  ///< as abi::jit_request has them
  std::vector<const void*> imports;                 ///< addresses: the image's own, then those of each external
};
/// Of a kernel's image; changes only when images with such functions come or go, and stays as long as the image. The caller
/// holds an image_use.
const image_links& links_of(const abi::kernel_descriptor& kernel);

/// While one lives, the kernel's image stays: unregistering waits.
class image_use {
public:
  explicit image_use(const abi::kernel_descriptor& kernel) noexcept;
  image_use(const image_use&) = delete;
  image_use& operator=(const image_use&) = delete;
  ~image_use();

private:
  void* m_image;
};

/// The descriptors of all registered images, kernels of the user only.
std::vector<const abi::kernel_descriptor*> registered_kernels();

struct registry_counts {
  std::size_t images, kernels, refused;
};
registry_counts count_images() noexcept;

} // namespace sinter
