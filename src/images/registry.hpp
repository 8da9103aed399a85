#pragma once
/// The device images of this process: constructors of the objects that carry them register them, and they go with those
/// objects.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "image_view.hpp"

namespace sinter {

/// The validated image of a kernel; null in library mode and for images that were refused.
const image_view* image_of(const abi::kernel_descriptor& kernel) noexcept;

/// The kernel's image stays until it is let go as often as it was held: unregistering waits.
void hold_image(const abi::kernel_descriptor& kernel) noexcept;
void let_image_go(const abi::kernel_descriptor& kernel) noexcept;
/// The number of holders now.
std::uint64_t image_holders(const abi::kernel_descriptor& kernel) noexcept;

/// Whether any image came with a library that was opened at run time, and so may be closed. A thread that closes the
/// image's library holds the loader's lock while commands with its kernels end. These commands, and those before them,
/// must not need the loader.
bool libraries_may_close() noexcept;

/// Functions of other images that an image calls (SYCL_EXTERNAL), directly or through others.
struct image_links {
  std::vector<const abi::image_header*> externals;  ///< as abi::jit_request has them
  std::vector<const void*> imports;                 ///< addresses of the image's own imports, then of each external's
};
/// The links of a kernel's image; they change only when images with such functions come or go, and live as long as the
/// image. The caller holds an image_use.
const image_links& links_of(const abi::kernel_descriptor& kernel);

/// A function of another file (SYCL_EXTERNAL) that a kernel calls, directly or through others, and its requirements on
/// devices.
struct called_function {
  std::string symbol;
  std::uint32_t flags;  ///< abi::kernel_flags: fixed targets, groups that meet
  abi::aspect_set required_aspects;
  std::uint32_t required_sub_group_size;  ///< 0: none
};
/// The called functions that require anything. The caller holds an image_use, or the kernel can't go for other reasons.
std::shared_ptr<const std::vector<called_function>> demanding_functions(const abi::kernel_descriptor& kernel);

/// While one lives, the kernel's image stays: unregistering waits.
class image_use {
public:
  explicit image_use(const abi::kernel_descriptor& kernel) noexcept;
  image_use(const image_use&) = delete;
  image_use& operator=(const image_use&) = delete;
  ~image_use();

private:
  const abi::kernel_descriptor& m_kernel;
};

/// The descriptors of all registered images, kernels of the user only.
std::vector<const abi::kernel_descriptor*> registered_kernels();
/// Grows whenever an image comes or goes.
std::uint64_t registry_changes() noexcept;

struct registry_counts {
  std::size_t images, kernels, refused;
};
registry_counts count_images() noexcept;

} // namespace sinter
