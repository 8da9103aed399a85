#pragma once
/// Decides when an automatic queue stops collecting kernels for a while, because it fused none of its latest lists.

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sycl::inline _V1::detail {

/// If a list is not fused in the end, each of its kernels has cost some microseconds more than a kernel without a list.
/// After several such lists in a row, the queue runs kernels without lists. Then it tries one list again. If this list
/// is not fused either, the next pause is twice as long.
class fusion_pause {
public:
  static constexpr std::uint32_t patience = 8;  ///< the first pause begins after this many unfused lists in a row
  static constexpr std::int32_t shortest = 64, longest = 4096;  ///< lengths of pauses, as numbers of kernels

  /// Notes how a list of several kernels ended.
  void note_list(bool fused) noexcept {
    if (fused) return m_refused.store(0, std::memory_order_relaxed);
    const std::uint32_t refused = m_refused.fetch_add(1, std::memory_order_relaxed) + 1;
    if (refused < patience) return;
    const std::uint32_t doublings = std::min(refused - patience, 6u);
    m_left.store(std::min(shortest << doublings, longest), std::memory_order_relaxed);
  }
  bool is_on() const noexcept { return m_left.load(std::memory_order_relaxed) > 0; }
  /// Counts a kernel that runs without a list.
  void note_kernel() noexcept { m_left.fetch_sub(1, std::memory_order_relaxed); }

private:
  // These counts only influence speed, so threads may see each other's changes late.
  std::atomic<std::uint32_t> m_refused{0};  ///< lists in a row that were not fused
  std::atomic<std::int32_t> m_left{0};      ///< kernels until the pause ends; no pause: not above 0
};

}  // namespace sycl::detail
