#pragma once
/// The timeline of a program (SINTER_TRACE): each thread records in memory of its own, without a lock; the file is
/// written when the program ends (trace_file.hpp).

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter {

extern constinit std::atomic<bool> trace_is_on;
/// This test is the only cost while there is no trace.
inline bool traces() noexcept { return trace_is_on.load(std::memory_order_relaxed); }

/// Must be called before anything is traced. Reads the environment variable at the first call.
void start_trace();

enum class trace_kind : std::uint8_t { kernel, memory, transfer, host, graph, fusion, jit };

/// An end of an arrow between commands. A command is identified by its queue's number and its ticket, or by a number of
/// its own if the command has no queue.
struct traced_point {
  std::uint32_t queue = 0;
  std::uint64_t number = 0;
};

/// Something that took time. Names must exist until the program ends.
struct traced_span {
  trace_kind kind;
  const char* name;
  std::uint64_t start, end;      ///< nanoseconds of the steady clock
  traced_point point{};          ///< set for commands, and for steps of graphs
  std::uint32_t queue = 0;       ///< the queue whose track shows the span; 0: only the thread's track shows it
  bool on_thread = true;         ///< whether the calling thread did the work
  std::uint64_t size = 0;        ///< kernels: how many work-items; memory and transfers: how many bytes
};
void trace(const traced_span& span);
/// Records that `after` waits for `before`.
void trace_dependence(traced_point before, traced_point after);
/// Names or renames a track. `is_queue`: the track belongs to a queue of the program, and its commands show the queue's
/// number.
void trace_track(std::uint32_t number, std::string text, bool is_queue);
/// Returns a new number for a point without a queue or for a track; never 0.
std::uint64_t next_trace_number() noexcept;

/// A copy of the text that lives as long as the program.
const char* lasting_text(std::string_view text);

/// Records a span of the calling thread, from the object's construction to its destruction.
class trace_scope {
public:
  /// `name` is called only if there is a trace.
  template <class Name>
  trace_scope(trace_kind kind, Name name) : m_start(traces() ? now() : 0), m_kind(kind) {
    if (m_start != 0) m_name = lasting_text(name());
  }
  trace_scope(const trace_scope&) = delete;
  ~trace_scope() {
    if (m_start != 0) trace({.kind = m_kind, .name = m_name, .start = m_start, .end = now()});
  }

private:
  static std::uint64_t now() noexcept;

  const std::uint64_t m_start;
  const char* m_name = "";
  const trace_kind m_kind;
};

}  // namespace sinter
