#pragma once
/// What Sinter knows about itself, for sinter-info.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sycl/detail/export.hpp>

#include <base/environment.hpp>

namespace sinter {

struct introspection {
  std::string version;
  std::uint32_t contract = 0;

  // The JIT. Empty with a reason in jit_error when it can't be opened.
  std::string jit_path, llvm_version, llvm_path, cpu_name, jit_error;

  // The kernel cache.
  std::string cache_directory;
  std::string cache_disabled;  ///< why it is off; empty while it is on
  std::size_t cache_entries = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t cache_limit_bytes = 0;

  // NVIDIA's driver: its version, or why it can't be used; a line for each GPU.
  std::string cuda_driver;
  std::vector<std::string> gpus;
  /// The loader, and a line for each device: what it is, or why it is not used.
  std::string opencl_loader;
  std::string opencl_loader_version;  ///< empty: it does not say
  std::vector<std::string> opencl_devices;

  // Device images of this process.
  std::size_t images = 0, image_kernels = 0, images_refused = 0;
};

/// Opens the JIT and the drivers, and looks through the cache.
SINTER_EXPORT introspection introspect();

/// Asks OpenCL's loader and drivers for all that devices say of themselves. With a broken one, the process may end.
SINTER_EXPORT void try_opencl();
/// Before anything else is asked: OpenCL's loader is not opened, and that is what introspection says of it.
SINTER_EXPORT void leave_opencl_out(const std::string& why);

/// The environment table alone; opens nothing.
SINTER_EXPORT std::span<const environment_variable> introspect_environment() noexcept;

} // namespace sinter
