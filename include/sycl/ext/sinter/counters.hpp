#pragma once
/// How often kernels ran through which code, for tests and curious programs.

#include <cstdint>

#include "../../detail/export.hpp"

namespace sycl::ext::sinter {

/// Launches since the program started: by the host entry (library mode), code compiled in this process, cached code.
struct launch_counts {
  std::uint64_t host_entry = 0;
  std::uint64_t jit = 0;
  std::uint64_t cache = 0;
};

SINTER_EXPORT launch_counts launch_counters() noexcept;

} // namespace sycl::ext::sinter
