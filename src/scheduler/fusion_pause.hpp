#pragma once
/// Decides when an automatic queue stops collecting kernels for a while, because it fused none of its latest lists.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sycl::inline _V1::detail {

/// A kernel in a list that is not fused costs some microseconds more than a kernel without a list. After several such
/// lists in a row, the queue runs kernels without lists. Then it tries one list again. If this list is not fused
/// either, the next pause is about twice as long.
class fusion_pause {
public:
  static constexpr std::uint32_t patience = 8;  ///< a pause begins after this many lists in a row that were not fused
  static constexpr std::uint32_t patience_with_compiler = 32;  ///< similar, for lists whose code was not compiled yet
  static constexpr std::uint32_t tried_again = 4;  ///< lists between two pauses that wait for the compiler
  /// The lengths of pauses, counted in kernels. A pause and a list of 16 kernels together have a prime number of
  /// kernels. If the program repeats a sequence of kernels, the lists after successive pauses therefore begin with
  /// different kernels of the sequence.
  static constexpr std::int32_t lengths[] = {67, 133, 261, 525, 1033, 2053, 4095};

  /// Notes how a list of several kernels ended.
  void note_list(bool fused) noexcept {
    m_not_compiled.store(0, std::memory_order_relaxed);
    if (fused) return m_refused.store(0, std::memory_order_relaxed);
    const std::uint32_t refused = m_refused.fetch_add(1, std::memory_order_relaxed) + 1;
    if (refused >= patience) start(std::min<std::size_t>(refused - patience, std::size(lengths) - 1));
  }
  /// Notes a list that may be fused later, when its code is compiled. After several such lists in a row, the queue
  /// pauses until the compiler has finished some code. Then it tries a few lists again.
  void note_not_compiled() noexcept {
    if (m_not_compiled.fetch_add(1, std::memory_order_relaxed) + 1 < patience_with_compiler) return;
    m_not_compiled.store(patience_with_compiler - tried_again, std::memory_order_relaxed);
    start(std::size(lengths) - 1);
    m_compiled_before.store(s_compiled.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  /// Notes that code of a fused list was compiled in the background, in any queue.
  static void note_compiled() noexcept { s_compiled.fetch_add(1, std::memory_order_relaxed); }
  bool is_on() const noexcept {
    if (m_left.load(std::memory_order_relaxed) <= 0) return false;
    const std::int64_t before = m_compiled_before.load(std::memory_order_relaxed);
    return before < 0 || before == s_compiled.load(std::memory_order_relaxed);
  }
  /// Counts a kernel that runs without a list.
  void note_kernel() noexcept { m_left.fetch_sub(1, std::memory_order_relaxed); }

private:
  void start(std::size_t length) noexcept {
    m_compiled_before.store(-1, std::memory_order_relaxed);
    m_left.store(lengths[length], std::memory_order_relaxed);
  }

  // These counts only influence speed, so threads may see each other's changes late.
  std::atomic<std::uint32_t> m_refused{0};       ///< lists in a row that were not fused
  std::atomic<std::uint32_t> m_not_compiled{0};  ///< lists in a row whose code was not compiled yet
  std::atomic<std::int32_t> m_left{0};           ///< kernels until the pause ends; 0 or less: there is no pause
  /// If the pause waits for the compiler: s_compiled when the pause began. Otherwise negative.
  std::atomic<std::int64_t> m_compiled_before{-1};
  static inline std::atomic<std::int64_t> s_compiled{0};  ///< number of fused codes compiled in the background
};

}  // namespace sycl::detail
