#pragma once
/// Counters for tests and other programs: which code kernels ran, and which data were copied between memories.

#include <cstdint>

#include "../../detail/export.hpp"

namespace sycl::inline _V1::ext::sinter {

/// The numbers of launches since the program started. Launches are counted separately for each kind of code: host code
/// (library mode), code that this process compiled, and code from the cache. SINTER_TIERED adds two numbers: launches
/// that ran host code because the kernel was not compiled yet, and launches that changed from host code to compiled
/// code while they ran.
struct launch_counts {
  std::uint64_t host_entry = 0;
  std::uint64_t jit = 0;
  std::uint64_t cache = 0;
  std::uint64_t host_copy = 0;
  std::uint64_t taken_over = 0;
};

SINTER_EXPORT launch_counts launch_counters() noexcept;

/// The number of copies of buffers' contents between memories since the program started. SINTER_REPORT=transfers prints
/// the counts when the program ends.
struct transfer_counts {
  std::uint64_t to_devices = 0;
  std::uint64_t to_host = 0;
  std::uint64_t between_devices = 0;
  std::uint64_t bytes = 0;  ///< the number of bytes that all transfers copied
};

SINTER_EXPORT transfer_counts transfer_counters() noexcept;

} // namespace sycl::ext::sinter
