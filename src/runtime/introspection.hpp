#pragma once
/// Facts about Sinter itself, for sinter-info.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/detail/export.hpp>

#include <backends/backend_row.hpp>
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

  std::vector<driver_state> drivers;  ///< one for each backend that needs a driver

  // Device images of this process.
  std::size_t images = 0, image_kernels = 0, images_refused = 0;
};

/// Opens the JIT and the drivers, and looks through the cache.
SINTER_EXPORT introspection introspect();

/// Backends whose drivers may end the process that asks them.
SINTER_EXPORT std::vector<const char*> unsafe_backends();
/// Asks the backend's drivers for all that devices say of themselves. With a broken one, the process may end.
SINTER_EXPORT void try_backend(std::string_view name);
/// Before anything else is asked: the backend has no devices, and introspection says why.
SINTER_EXPORT void leave_backend_out(std::string_view name, const std::string& why);

/// The environment table alone; opens nothing.
SINTER_EXPORT std::span<const environment_variable> introspect_environment() noexcept;

} // namespace sinter
