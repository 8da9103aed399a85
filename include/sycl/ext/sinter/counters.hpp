#pragma once
/// Counts which code kernels ran through and which data were copied between memories, for tests and curious programs.

#include <cstdint>

#include "../../detail/export.hpp"

namespace sycl::inline _V1::ext::sinter {

/// Launches since the program started: by the host entry (library mode), code compiled in this process, cached code.
/// With SINTER_TIERED also by the host copy of a kernel that was not compiled yet, or by that and then compiled code.
struct launch_counts {
  std::uint64_t host_entry = 0;
  std::uint64_t jit = 0;
  std::uint64_t cache = 0;
  std::uint64_t host_copy = 0;
  std::uint64_t taken_over = 0;
};

SINTER_EXPORT launch_counts launch_counters() noexcept;

/// Transfers of contents of buffers since the program started; SINTER_REPORT=transfers prints them at the end.
struct transfer_counts {
  std::uint64_t to_devices = 0;
  std::uint64_t to_host = 0;
  std::uint64_t between_devices = 0;
  std::uint64_t bytes = 0;  ///< of all of them
};

SINTER_EXPORT transfer_counts transfer_counters() noexcept;

} // namespace sycl::ext::sinter
