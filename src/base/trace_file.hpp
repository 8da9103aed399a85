#pragma once
/// The timeline as a file in the JSON of Chrome's tracing, which Perfetto's UI opens.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "trace.hpp"

namespace sinter {

/// An event in the form in which threads record it. In a dependence, `queue` and `size` are the point that comes first.
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
  bool is_queue = false;  ///< a queue of the program
};

struct trace_contents {
  std::uint32_t process;  ///< the number of the process
  std::vector<traced_track> tracks;   ///< queues, graphs and host accesses; the last name of a track counts
  std::vector<traced_track> threads;  ///< threads, by the numbers that the system gives them
  std::vector<trace_event> events;
};

/// Writes one process with the tracks of queues (several for a queue whose commands overlap), and one with the tracks
/// of threads. Arrows need a span in the file at both ends: each such pair has one arrow. Where a point has several
/// spans, they lead to the first and from the last. False when it can't all be written.
bool write_trace_file(std::FILE* file, const trace_contents& contents);

}  // namespace sinter
