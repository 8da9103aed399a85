#pragma once
/// The driver's own objects behind SYCL's, and kernels that the driver compiles itself, for programs that use the
/// driver beside SYCL. All of it is optional.

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

/// Kernels in a language that drivers compile themselves.
struct kernel_source {
  enum class language : std::uint8_t { opencl_c, spirv };
  struct constant {
    std::uint32_t id;
    std::string bytes;
  };
  language written_in;
  std::string text, options;
  std::vector<constant> constants;  ///< SPIR-V: values of specialization constants
};

/// An argument of a kernel that a driver has built. The block of its launches: their number (8 bytes), one of these for
/// each, then the values.
struct native_argument {
  enum class kind : std::uint32_t { value, pointer, local_memory };
  kind what;
  std::uint32_t index;
  std::uint64_t bytes;   ///< how large the value is, or the local memory
  std::uint64_t offset;  ///< where the value is in the block
};

/// A program that the driver has built for one device.
class native_module {
public:
  virtual ~native_module() = default;
  virtual const std::vector<std::string>& kernels() const = 0;
  virtual std::uint32_t argument_count(std::size_t kernel) const = 0;
  /// For launches of it. The result lives as long as the module.
  virtual const code_variant& code(std::size_t kernel) const = 0;
  /// Objects of the driver's: the program, and its kernel.
  virtual void* native() const { return nullptr; }
  virtual void* native(std::size_t) const { return nullptr; }
};

/// Kinds of the driver's objects that have counted owners.
enum class native_kind : std::uint8_t { device, context, queue, event, program, kernel, memory };

/// An image object of the driver's.
struct native_image {
  unsigned dimensions = 0;  ///< 0: it is no image of the device's context
  std::size_t extent[3] = {1, 1, 1};
  sycl::detail::image_traits traits;  ///< no channels: SYCL's images have no such format
};

/// Objects that a device's driver gives. If a backend leaves a member out, its driver has no such object.
class device_natives {
public:
  virtual ~device_natives() = default;

  /// The driver's number of the device; -1: it has none.
  virtual int number() const noexcept { return -1; }
  /// The driver's platform, device and context; null: there are none.
  virtual void* platform() { return nullptr; }
  virtual void* device() { return nullptr; }
  virtual void* context() { return nullptr; }
  /// Names of the platform's extensions, or of the device's, divided by spaces.
  virtual std::string extensions(bool /*of_platform*/) const { return {}; }
  /// This device in a context of the driver's that the program made. Equal contexts give the same object, which is
  /// never destroyed. Null if the context has other devices.
  virtual device_backend* in_context(void* /*context*/) { return nullptr; }
  /// `retain` adds an owner to an object of the driver's; `release` removes one from an event or memory.
  virtual void retain(native_kind, void* /*object*/) {}
  virtual void release(native_kind, void* /*object*/) {}

  /// A stream around one of the program's own, which stays its own.
  virtual std::unique_ptr<device_stream> adopt_stream(void* /*stream*/, bool /*measures*/) { return nullptr; }
  /// Returns when an event of the driver's, made by the program, is complete.
  virtual void wait_for(void* /*event*/) {}

  /// The size in bytes of a memory object of the driver's, made by the program; 0: it is no memory of the device's
  /// context.
  virtual std::size_t bytes_of(void* /*object*/) { return 0; }
  /// The driver's object for memory that `allocate` returned, of this size; it lives as long as the memory. Null: the
  /// driver has no such object. Throws errc::feature_not_supported if it can't have one.
  virtual void* object_of(void* /*memory*/, std::size_t /*bytes*/) { return nullptr; }
  virtual native_image image_of(void* /*object*/) { return {}; }
  /// A new image object, which the caller releases. Null: the driver has no such objects. errc::feature_not_supported
  /// if it has none of this format or size.
  virtual void* make_image(const native_image&) { return nullptr; }
  /// Copies bytes from the object's beginning to the host's memory, or from there to the object. Images are copied as a
  /// whole; the host's memory has no gaps between their rows.
  virtual void copy(void* /*object*/, void* /*host*/, std::size_t /*bytes*/, bool /*to_object*/) {}

  /// Whether the driver compiles kernels in this language.
  virtual bool builds(kernel_source::language) const { return false; }
  /// `log` gets the compiler's messages. If compiling fails, errc::build is thrown with them.
  virtual std::unique_ptr<native_module> build(const kernel_source&, std::string& /*log*/) { return nullptr; }
  /// A module around a program of the driver's, and one of its kernels or null; both are retained.
  virtual std::unique_ptr<native_module> adopt_module(void* /*program*/, void* /*kernel*/) { return nullptr; }
  /// The program that a kernel of the driver's belongs to; `name` gets the kernel's name.
  virtual void* program_of(void* /*kernel*/, std::string& /*name*/) { return nullptr; }
  /// The driver's objects for a kernel of the program's and groups of any size, retained for the caller. It is
  /// compiled where it is new. Null: the driver has no such objects.
  struct code {
    void *program = nullptr, *kernel = nullptr;
  };
  virtual code code_of(abi::kernel_descriptor&, const abi::specialization_table*) { return {}; }
};

}  // namespace sinter
