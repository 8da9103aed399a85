#pragma once
/// The timeline as a file in the JSON of Chrome's tracing, which Perfetto's UI opens.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "trace.hpp"

namespace sinter {

/// An event as threads record it. An event may also be a dependence. In this case, `point` waits for another point, and
/// `queue` and `size` contain the other point's values.
struct trace_event {
  enum class type : std::uint8_t { span, dependence };
  const char* name;
  std::uint64_t start, end;
  traced_point point;
  std::uint64_t size;
  std::uint32_t queue;
  std::uint32_t thread;  ///< the thread whose track shows the event; 0: the event is on no thread's track
  trace_kind kind;
  type what;
};

struct traced_track {
  std::uint32_t number;
  std::string text;
  bool is_queue = false;  ///< whether the track is that of a queue of the program
};

struct trace_contents {
  std::uint32_t process;  ///< the number of the process
  std::vector<traced_track> tracks;   ///< tracks of queues, graphs and host accesses; if a track has several names
                                      ///< here, the last name counts
  std::vector<traced_track> threads;  ///< tracks of threads, with the system's numbers of the threads
  std::vector<trace_event> events;
};

/// Viewers show two processes: one with the tracks of queues (several tracks for a queue whose commands overlap), and
/// one with the tracks of threads. Only arrows between two spans of the file are written, at most one for each pair of
/// spans. If a point has several spans, arrows end at the first span and begin at the last span. Returns false if the
/// file can't be written completely.
bool write_trace_file(std::FILE* file, const trace_contents& contents);

}  // namespace sinter
