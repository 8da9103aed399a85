#pragma once
/// Counts by which code kernels ran, and which data were copied between memories, for tests and other programs.

#include <cstdint>

#include "../../detail/export.hpp"

namespace sycl::inline _V1::ext::sinter {

/// The number of launches since the program started: by host code (library mode), by code compiled in this process, and
/// by cached code. SINTER_TIERED adds launches by host code of a kernel that was not compiled yet, and launches that
/// changed from host code to compiled code.
struct launch_counts {
  std::uint64_t host_entry = 0;
  std::uint64_t jit = 0;
  std::uint64_t cache = 0;
  std::uint64_t host_copy = 0;
  std::uint64_t taken_over = 0;
};

SINTER_EXPORT launch_counts launch_counters() noexcept;

/// The number of transfers of buffers' contents since the program started. SINTER_REPORT=transfers prints it at the
/// end.
struct transfer_counts {
  std::uint64_t to_devices = 0;
  std::uint64_t to_host = 0;
  std::uint64_t between_devices = 0;
  std::uint64_t bytes = 0;  ///< the bytes of all transfers
};

SINTER_EXPORT transfer_counts transfer_counters() noexcept;

} // namespace sycl::ext::sinter
