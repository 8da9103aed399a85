#include "launch_cost.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace sycl::inline _V1::detail {
namespace {

/// The measured cost of one launch: nanoseconds in the upper half, work-items in the lower half. 0 means that there was
/// no launch.
using sample = std::uint64_t;

/// Rounds to three binary digits, so that launches of similar duration have equal samples.
sample make_sample(std::uint64_t nanoseconds, std::uint64_t items) noexcept {
  const std::uint64_t clamped = std::clamp<std::uint64_t>(nanoseconds, 1, 0xffffffffu);
  const int dropped = std::max(static_cast<int>(std::bit_width(clamped)) - 3, 0);
  return clamped >> dropped << dropped << 32 | items;
}

/// Stores the value only if it differs. Other threads read this cache line all the time, and each store would make them
/// load it again.
void change(std::atomic<sample>& place, sample value) noexcept {
  if (place.load(std::memory_order_relaxed) != value) place.store(value, std::memory_order_relaxed);
}

/// Returns the cost of a launch of `wanted` work-items, estimated from this sample.
std::uint64_t scaled(sample known, std::uint64_t wanted) noexcept {
  const std::uint64_t nanoseconds = known >> 32, items = known & 0xffffffffu;
  return wanted <= items ? nanoseconds : nanoseconds * wanted / items;
}

/// The estimates of one kernel. Threads that call note_launch at the same time may store their samples in the wrong
/// order. This is harmless: each sample still comes from a launch of the kernel.
struct alignas(32) entry {
  std::atomic<sample> estimate{0};
  std::atomic<sample> latest[2]{};  ///< two samples, the newer one first
};
// The entries are a hash table without collision handling: kernels that share an entry only make each other's estimates
// worse.
constexpr std::size_t entries = 1024;
constinit entry known[entries];

entry& entry_of(const sinter::abi::kernel_descriptor* kernel) noexcept {
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
  const sample estimate = entry_of(launch.kernel).estimate.load(std::memory_order_relaxed);
  return estimate == 0 ? unknown_cost : scaled(estimate, items_of(launch));
}

void note_launch(const sinter::kernel_launch& launch, cost measured) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  entry& mine = entry_of(launch.kernel);
  const std::uint64_t items = items_of(launch);
  const sample first = make_sample(measured, items);
  const sample second = mine.latest[0].load(relaxed), third = mine.latest[1].load(relaxed);
  if (first == second && second == third) return;  // nothing changes
  change(mine.latest[1], second);
  change(mine.latest[0], first);
  // The estimate is the median of three samples. So a single slow launch does not count. It may be slow because its
  // code was compiled, its memory was touched for the first time, or its thread was interrupted. Two slow launches
  // count, because the next one will probably be slow, too. With only two samples, the estimate is the shorter one.
  const std::uint64_t a = first >> 32, b = second == 0 ? a : scaled(second, items);
  const std::uint64_t c = third == 0 ? std::min(a, b) : scaled(third, items);
  change(mine.estimate, make_sample(std::max(std::min(a, b), std::min(std::max(a, b), c)), items));
}

}  // namespace sycl::detail
