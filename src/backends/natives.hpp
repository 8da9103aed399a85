#pragma once
/// Access to the driver's own objects behind SYCL's objects, for user programs that use both SYCL and the driver, and
/// access to kernels that the driver compiles itself. A backend may lack any of these functions.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sycl/detail/image_texels.hpp>

#include "stream.hpp"

namespace sinter {

class device_backend;  // device.hpp

/// The source of kernels, in a language that the driver compiles itself.
struct kernel_source {
  enum class language : std::uint8_t { opencl_c, spirv };
  struct constant {
    std::uint32_t id;
    std::string bytes;
  };
  language written_in;
  std::string text, options;
  std::vector<constant> constants;  ///< for SPIR-V: values of specialization constants
};

/// An argument of a kernel that a driver has built. The kernel's argument block contains the number of arguments (8
/// bytes), then a native_argument for each argument, and then the values.
struct native_argument {
  enum class kind : std::uint32_t { value, pointer, local_memory };
  kind what;
  std::uint32_t index;
  std::uint64_t bytes;   ///< size of the value, or of the local memory
  std::uint64_t offset;  ///< offset of the value in the block
};

/// A program that the driver has built for one device.
class native_module {
public:
  virtual ~native_module() = default;
  virtual const std::vector<std::string>& kernels() const = 0;
  virtual std::uint32_t argument_count(std::size_t kernel) const = 0;
  /// Returns the code for launches of a kernel. The result lives as long as the module.
  virtual const code_variant& code(std::size_t kernel) const = 0;
  /// The first function returns the driver's program object, the second one the driver's object of a kernel in it.
  virtual void* native() const { return nullptr; }
  virtual void* native(std::size_t) const { return nullptr; }
};

/// The kinds of reference-counted objects of the driver.
enum class native_kind : std::uint8_t { device, context, queue, event, program, kernel, memory };

/// The properties of an image object of the driver.
struct native_image {
  unsigned dimensions = 0;  ///< 0: the object is no image of the device's context
  std::size_t extent[3] = {1, 1, 1};
  sycl::detail::image_traits traits;  ///< without channels if SYCL's images don't have this format
};

/// Returns objects of a device's driver. If a backend does not override a function, its driver has no such objects.
class device_natives {
public:
  virtual ~device_natives() = default;

  /// Returns the number of the device in the driver's interface, or -1 if devices have no numbers there.
  virtual int number() const noexcept { return -1; }
  /// These functions return the driver's platform, device and context, or null if there are none.
  virtual void* platform() { return nullptr; }
  virtual void* device() { return nullptr; }
  virtual void* context() { return nullptr; }
  /// Returns the names of the platform's or the device's extensions, separated by spaces.
  virtual std::string extensions(bool /*of_platform*/) const { return {}; }
  /// Returns this device in a context that the program itself created with the driver. For the same context, the result
  /// is the same object, which is never destroyed. Returns null if the context has other devices.
  virtual device_backend* in_context(void* /*context*/) { return nullptr; }
  /// `retain` increments the reference count of an object of the driver. `release` decrements the reference count of an
  /// event or of memory.
  virtual void retain(native_kind, void* /*object*/) {}
  virtual void release(native_kind, void* /*object*/) {}

  /// Makes a device_stream from a driver's stream that the program has created. The program still owns the driver's
  /// stream.
  virtual std::unique_ptr<device_stream> adopt_stream(void* /*stream*/, bool /*measures*/) { return nullptr; }
  /// Waits until a driver's event that the program has created is complete.
  virtual void wait_for(void* /*event*/) {}

  /// Returns the size in bytes of a driver's memory object that the program has created, or 0 if the object is no
  /// memory of the device's context.
  virtual std::size_t bytes_of(void* /*object*/) { return 0; }
  /// Returns the driver's object for memory that `allocate` returned. The memory has this size. The object lives as
  /// long as the memory. Returns null if the driver has no such objects. Throws errc::feature_not_supported if the
  /// driver can't make an object for this memory.
  virtual void* object_of(void* /*memory*/, std::size_t /*bytes*/) { return nullptr; }
  virtual native_image image_of(void* /*object*/) { return {}; }
  /// Returns a new image object, which the caller releases, or null if the driver has no such objects. Throws
  /// errc::feature_not_supported if the driver has no images of this format or size.
  virtual void* make_image(const native_image&) { return nullptr; }
  /// Copies bytes from the beginning of a memory object to the host's memory, or in the other direction. Images are
  /// copied as a whole; in the host's memory, there are no gaps between their rows.
  virtual void copy(void* /*object*/, void* /*host*/, std::size_t /*bytes*/, bool /*to_object*/) {}

  /// Returns whether the driver compiles kernels in this language.
  virtual bool builds(kernel_source::language) const { return false; }
  /// Compiles kernels and sets `log` to the compiler's messages. Throws errc::build with the messages if compiling
  /// fails.
  virtual std::unique_ptr<native_module> build(const kernel_source&, std::string& /*log*/) { return nullptr; }
  /// Makes a module from a program object of the driver. `kernel` is one of the program's kernels or null. The module
  /// retains both objects.
  virtual std::unique_ptr<native_module> adopt_module(void* /*program*/, void* /*kernel*/) { return nullptr; }
  /// Returns the driver's program to which a kernel of the driver belongs, and sets `name` to the kernel's name.
  virtual void* program_of(void* /*kernel*/, std::string& /*name*/) { return nullptr; }
  /// Returns the driver's objects for a SYCL kernel, with code for groups of any size. The kernel is compiled first if
  /// necessary. The caller has to release the objects. They are null if the driver has no such objects.
  struct code {
    void *program = nullptr, *kernel = nullptr;
  };
  virtual code code_of(abi::kernel_descriptor&, const abi::specialization_table*) { return {}; }
};

}  // namespace sinter
