#pragma once
/// Records a graph's run in the timeline (base/trace.hpp), if the graph is handed over to a device as several commands.

#include <algorithm>
#include <base/trace.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include <sycl/detail/compiled_core.hpp>

namespace sycl::inline _V1::detail {

/// One run of the graph, from the start of its first command to the end of its last command.
class traced_replay final : public counted {
public:
  /// Records a replay of `commands` commands on the track `track`.
  traced_replay(std::uint32_t track, std::size_t commands) noexcept : m_track(track), m_left(commands) {}

  /// Called when a command of the run is complete, in any order and on any thread. `start` is 0 if the command's times
  /// are not known.
  void add(std::uint64_t start, std::uint64_t end) {
    std::lock_guard lock(m_mutex);
    if (start != 0) m_start = std::min(m_start, start);
    if (start != 0) m_end = std::max(m_end, end);
    if (--m_left != 0 || m_end == 0) return;
    sinter::trace({.kind = sinter::trace_kind::graph,
                   .name = "replay",
                   .start = m_start,
                   .end = m_end,
                   .queue = m_track,
                   .on_thread = false});
  }

private:
  const std::uint32_t m_track;
  std::mutex m_mutex;  // protects what follows
  std::size_t m_left;
  std::uint64_t m_start = std::numeric_limits<std::uint64_t>::max(), m_end = 0;
};

}  // namespace sycl::detail
