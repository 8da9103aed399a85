#pragma once
/// Keeps the device images of this process. Constructors of object files register images, and destructors of the same
/// files unregister them.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "image_view.hpp"

namespace sinter {

/// Returns the validated image of a kernel, or null in library mode and for images that were refused.
const image_view* image_of(const abi::kernel_descriptor& kernel) noexcept;

/// Holds the kernel's image. Unregistering waits until the image is let go as often as it was held.
void hold_image(const abi::kernel_descriptor& kernel) noexcept;
void let_image_go(const abi::kernel_descriptor& kernel) noexcept;
/// Returns the current number of holders.
std::uint64_t image_holders(const abi::kernel_descriptor& kernel) noexcept;

/// Returns whether any image belongs to a library that was opened at run time, and so may be closed. A thread that
/// closes the library holds the loader's lock while it waits for commands with kernels of the image. These commands,
/// and earlier commands, must not need the loader.
bool libraries_may_close() noexcept;

/// Functions of other images that an image calls (SYCL_EXTERNAL), directly or through other functions.
struct image_links {
  std::vector<const abi::image_header*> externals;  ///< see abi::jit_request::externals
  /// Addresses of the image's own imports, then of the imports of each external image.
  std::vector<const void*> imports;
};
/// Returns the links of a kernel's image. They change only when images with such functions are registered or
/// unregistered, and live as long as the image. The caller holds an image_use.
const image_links& links_of(const abi::kernel_descriptor& kernel);

/// A function of another file (SYCL_EXTERNAL) that a kernel calls, directly or through other functions, and its
/// requirements on devices.
struct called_function {
  std::string symbol;
  std::uint32_t flags;  ///< abi::kernel_flags: fixed targets, groups that meet
  abi::aspect_set required_aspects;
  std::uint32_t required_sub_group_size;  ///< 0: the function requires no size
};
/// Returns the called functions that have requirements. The caller holds an image_use, or knows that the kernel's image
/// stays registered.
std::shared_ptr<const std::vector<called_function>> demanding_functions(const abi::kernel_descriptor& kernel);

/// While an object of this class exists, unregistering the kernel's image waits.
class image_use {
public:
  explicit image_use(const abi::kernel_descriptor& kernel) noexcept;
  image_use(const image_use&) = delete;
  image_use& operator=(const image_use&) = delete;
  ~image_use();

private:
  const abi::kernel_descriptor& m_kernel;
};

/// Returns the descriptors of all registered images, without the runtime's own kernels.
std::vector<const abi::kernel_descriptor*> registered_kernels();
/// Returns a number that grows whenever an image is registered or unregistered.
std::uint64_t registry_changes() noexcept;

struct registry_counts {
  std::size_t images, kernels, refused;
};
registry_counts count_images() noexcept;

} // namespace sinter
