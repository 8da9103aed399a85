#pragma once
/// Keeps a list of the device images in this process. Each object file with an image has a constructor, which registers
/// the image, and a destructor, which unregisters it.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "image_view.hpp"

namespace sinter {

/// Returns the validated image of a kernel. Returns null in library mode and for images that were refused.
const image_view* image_of(const abi::kernel_descriptor& kernel) noexcept;

/// Keeps the kernel's image registered. An attempt to unregister the image waits until let_image_go was called as often
/// as hold_image.
void hold_image(const abi::kernel_descriptor& kernel) noexcept;
void let_image_go(const abi::kernel_descriptor& kernel) noexcept;
/// Returns how often the image is held now.
std::uint64_t image_holders(const abi::kernel_descriptor& kernel) noexcept;

/// Returns whether the program may close a library with an image, because it has opened the library at run time. A
/// thread that closes such a library holds the loader's lock and waits for all commands with kernels of the image. So
/// these commands, and the commands for which they wait, must not need the loader's lock.
bool libraries_may_close() noexcept;

/// The functions of other images (SYCL_EXTERNAL) that an image calls, directly or through other functions.
struct image_links {
  std::vector<const abi::image_header*> externals;  ///< see abi::jit_request::externals
  /// The addresses of the image's own imports, followed by the addresses of the imports of each external image.
  std::vector<const void*> imports;
};
/// Returns the links of the image that contains the kernel. The links change only when images with such functions are
/// registered or unregistered. All links exist as long as the image exists. The caller has to hold an image_use.
const image_links& links_of(const abi::kernel_descriptor& kernel);

/// A function in another file (SYCL_EXTERNAL) that a kernel calls, directly or through other functions, and what it
/// requires of devices.
struct called_function {
  std::string symbol;
  std::uint32_t flags;  ///< abi::kernel_flags: fixed targets, or a barrier for all work-groups
  abi::aspect_set required_aspects;
  std::uint32_t required_sub_group_size;  ///< 0 if the function does not require a size
};
/// Returns the functions of other files that the kernel calls and that have requirements. The caller has to hold an
/// image_use, or to know that the kernel's image stays registered.
std::shared_ptr<const std::vector<called_function>> demanding_functions(const abi::kernel_descriptor& kernel);

/// Unregistering the kernel's image waits as long as an object of this class exists.
class image_use {
public:
  explicit image_use(const abi::kernel_descriptor& kernel) noexcept;
  image_use(const image_use&) = delete;
  image_use& operator=(const image_use&) = delete;
  ~image_use();

private:
  const abi::kernel_descriptor& m_kernel;
};

/// Returns the descriptors of the kernels in all registered images, except the runtime's own kernels.
std::vector<const abi::kernel_descriptor*> registered_kernels();
/// Returns a number that grows when an image is registered or unregistered.
std::uint64_t registry_changes() noexcept;

struct registry_counts {
  std::size_t images, kernels, refused;
};
registry_counts count_images() noexcept;

} // namespace sinter
