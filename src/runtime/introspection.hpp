#pragma once
/// Collects facts about Sinter itself, for sinter-info.

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

  // Facts about the JIT. If the JIT can't be opened, the facts are empty, and jit_error gives the reason.
  std::string jit_path, llvm_version, llvm_path, cpu_name, jit_error;

  // Facts about the kernel cache.
  std::string cache_directory;
  std::string cache_disabled;  ///< reason why the cache is off; empty while it is on
  std::size_t cache_entries = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t cache_limit_bytes = 0;

  std::vector<driver_state> drivers;  ///< an entry for each backend that needs a driver

  // Numbers of device images of this process.
  std::size_t images = 0, image_kernels = 0, images_refused = 0;
};

/// Opens the JIT and the drivers, and looks through the cache.
SINTER_EXPORT introspection introspect();

/// Returns the backends whose drivers may end the process that queries the drivers.
SINTER_EXPORT std::vector<const char*> unsafe_backends();
/// Asks the backend's drivers for all facts about devices. A broken driver may end the process.
SINTER_EXPORT void try_backend(std::string_view name);
/// Removes the backend's devices, and notes the reason for introspection. Must be called before any other query.
SINTER_EXPORT void leave_backend_out(std::string_view name, const std::string& why);

/// Returns the table of environment variables, and opens no library.
SINTER_EXPORT std::span<const environment_variable> introspect_environment() noexcept;

} // namespace sinter
