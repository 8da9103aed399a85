#pragma once
/// Estimates how long commands take. A wrong estimate costs only time: estimates decide which thread runs a command,
/// never whether the command runs.

#include <backends/stream.hpp>
#include <cstddef>
#include <cstdint>

namespace sycl::inline _V1::detail {

/// Nanoseconds.
using cost = std::uint64_t;

/// The assumed cost of a command about which nothing is known. Because this cost is high, a worker starts the command
/// at once.
inline constexpr cost unknown_cost = 1'000'000;
/// Waking another thread costs both threads about this much time. A cheaper command is not given to a worker at once,
/// because the submitting thread will probably wait for it and then run it.
inline constexpr cost worth_waking = 20'000;
/// If a command costs less than this, storing the command for later would take more time than running it.
inline constexpr cost worth_keeping = 500;

/// Estimates a launch from the latest three launches of the kernel. A single slow launch does not affect the estimate.
/// Only a slow first launch affects the estimate, until the second launch. Returns unknown_cost before the first
/// launch.
cost estimate_launch(const sinter::kernel_launch& launch) noexcept;
void note_launch(const sinter::kernel_launch& launch, cost measured) noexcept;
/// The cost of copying or filling memory at about 10 GB/s. A block that is smaller than the L1 cache is usually in some
/// cache, and is copied at least twice as fast.
constexpr cost estimate_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t first_cache = 32 << 10;
  return bytes <= first_cache ? bytes / 20 : bytes / 10;
}

}  // namespace sycl::detail
