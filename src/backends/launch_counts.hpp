#pragma once
/// Counts launches by the origin of their code (ext::sinter::launch_counters, SINTER_REPORT=launches).

#include <atomic>
#include <base/environment.hpp>
#include <images/code_origin.hpp>

#include "stream.hpp"

namespace sinter {

/// Numbers of launches since the program started, by the origin of the code that was launched.
struct launch_counters {
  std::uint64_t host_entry, jit, cache, host_copy, taken_over;
};
launch_counters current_launch_counters() noexcept;

extern constinit std::atomic<std::uint64_t> launch_counts[code_origins];
void report_launch(const kernel_launch& launch, code_origin origin);

inline void count_launch(const kernel_launch& launch, code_origin origin) {
  launch_counts[static_cast<int>(origin)].fetch_add(1, std::memory_order_relaxed);
  if (environment().report_launches) report_launch(launch, origin);
}

}  // namespace sinter
