#include "launch_cost.hpp"

#include <algorithm>
#include <atomic>

namespace sycl::detail {
namespace {

// Kernels that share an entry spoil each other's estimates, nothing else.
constexpr std::size_t entries = 1024;
/// Upper half: nanoseconds, lower half: work-items, both of the latest launches; 0: none yet.
std::atomic<std::uint64_t> known[entries];

std::atomic<std::uint64_t>& entry_of(const sinter::abi::kernel_descriptor* kernel) noexcept {
  return known[reinterpret_cast<std::uintptr_t>(kernel) / sizeof(*kernel) % entries];
}

std::uint64_t items_of(const sinter::kernel_launch& launch) noexcept {
  constexpr std::uint64_t most = ~std::uint32_t{0};
  std::uint64_t items = 1;
  for (const std::uint64_t size : launch.global_range) {
    if (__builtin_mul_overflow(items, size, &items)) return most;
  }
  return std::clamp<std::uint64_t>(items, 1, most);
}

}  // namespace

cost estimate_launch(const sinter::kernel_launch& launch) noexcept {
  const std::uint64_t entry = entry_of(launch.kernel).load(std::memory_order_relaxed);
  if (entry == 0) return unknown_cost;
  const std::uint64_t nanoseconds = entry >> 32, items = entry & 0xffffffffu, wanted = items_of(launch);
  return wanted <= items ? nanoseconds : nanoseconds * wanted / items;
}

void note_launch(const sinter::kernel_launch& launch, cost measured) noexcept {
  std::atomic<std::uint64_t>& entry = entry_of(launch.kernel);
  const std::uint64_t old = entry.load(std::memory_order_relaxed), items = items_of(launch);
  std::uint64_t nanoseconds = std::clamp<std::uint64_t>(measured, 1, 0xffffffffu);
  // Rises at once, falls in steps: a launch that took long for a change may do so again.
  if (old != 0 && (old & 0xffffffffu) == items) nanoseconds = std::max(nanoseconds, (old >> 32) / 2);
  if (const std::uint64_t noted = nanoseconds << 32 | items; noted != old)
    entry.store(noted, std::memory_order_relaxed);
}

}  // namespace sycl::detail
