#pragma once
/// Counts the transferred contents of buffers (SINTER_REPORT=transfers, ext::sinter::transfer_counters).

#include <cstdint>

#include "memory_users.hpp"

namespace sycl::inline _V1::detail {

struct transfer_totals {
  std::uint64_t count = 0, bytes = 0;
};
struct transfer_counts {
  transfer_totals to_devices, to_host, between_devices;
};

void count_transfer(const transfer& made) noexcept;
transfer_counts current_transfer_counts() noexcept;

}  // namespace sycl::detail
