#pragma once
/// The timeline as a file in the JSON of Chrome's tracing, which Perfetto's UI opens.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "trace.hpp"

namespace sinter {

/// An event in the form in which threads record it. In a dependence, `queue` and `size` contain the point for which the
/// event's own point waits.
struct trace_event {
  enum class type : std::uint8_t { span, dependence };
  const char* name;
  std::uint64_t start, end;
  traced_point point;
  std::uint64_t size;
  std::uint32_t queue;
  std::uint32_t thread;  ///< the thread whose track shows the event; 0: none does
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
  std::vector<traced_track> tracks;   ///< queues, graphs and host accesses; the last name of a track counts
  std::vector<traced_track> threads;  ///< threads, by the numbers that the system gives them
  std::vector<trace_event> events;
};

/// Writes one process with the tracks of queues (several tracks for a queue whose commands overlap), and another
/// process with the tracks of threads. An arrow needs a span in the file at both of its ends, and each pair of spans
/// has at most one arrow. If a point has several spans, arrows end at the first span and begin at the last one. Returns
/// false if the file can't be written completely.
bool write_trace_file(std::FILE* file, const trace_contents& contents);

}  // namespace sinter
