#pragma once
/// Estimates how long commands take. Estimates decide which thread runs a command, never whether one does.

#include <backends/stream.hpp>
#include <cstddef>
#include <cstdint>

namespace sycl::inline _V1::detail {

/// Nanoseconds.
using cost = std::uint64_t;

/// The cost of a command about which nothing is known. It is high enough for a thread of its own to start at once.
inline constexpr cost unknown_cost = 1'000'000;
/// Below this cost, a command waits a moment for the thread that submitted it to come and wait: waking another thread
/// costs both of them about as much.
inline constexpr cost worth_waking = 20'000;
/// Below this cost, keeping a command for later costs more than running it.
inline constexpr cost worth_keeping = 500;

/// An estimate from the latest three launches of the kernel. A single slow launch counts only until the next launch.
/// Returns unknown_cost before the first launch.
cost estimate_launch(const sinter::kernel_launch& launch) noexcept;
void note_launch(const sinter::kernel_launch& launch, cost measured) noexcept;
/// The cost of copying or filling memory at about 10 GB/s. Blocks that fit the first cache mostly lie in one, and are
/// at least twice as fast.
constexpr cost estimate_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t first_cache = 32 << 10;
  return bytes <= first_cache ? bytes / 20 : bytes / 10;
}

}  // namespace sycl::detail
