#include "trace_file.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace sinter {
namespace {

// Viewers show a thread as the main thread if its number equals its process's number. A queue must not look like a main
// thread, so the process of queues gets a number above all numbers of Linux threads (PID_MAX_LIMIT).
constexpr std::uint32_t above_all_threads = 1u << 22;
// The largest number of tracks for one queue.
constexpr std::size_t most_lanes = 256;
// If an event never ran, arrows lead directly from the events before it to the events after it. At most this many
// arrows are drawn for one event.
constexpr std::size_t most_arrows_through = 64;

const char* category(trace_kind kind) noexcept {
  switch (kind) {
    case trace_kind::kernel:
      return "kernel";
    case trace_kind::memory:
      return "memory";
    case trace_kind::transfer:
      return "transfer";
    case trace_kind::host:
      return "host";
    case trace_kind::graph:
      return "graph";
    case trace_kind::fusion:
      return "fusion";
    case trace_kind::jit:
      return "jit";
  }
  return "";
}

// In this type, keys stay in the order in which they were added.
using json = nlohmann::ordered_json;

using point_key = std::pair<std::uint32_t, std::uint64_t>;

/// The beginning or end of an arrow.
struct place {
  unsigned process;
  std::uint32_t track;
  std::uint64_t moment;
};

/// The beginning of a point's first span, and the end of its last span.
struct place_pair {
  place first, last;
};

class writer {
public:
  writer(std::FILE* file, const trace_contents& contents)
      : m_file(file), m_contents(contents), m_queue_process(contents.process + above_all_threads) {
    for (const traced_track& each : contents.tracks) m_tracks[each.number] = &each;
  }

  bool write() {
    m_origin = origin();
    // Events are written one by one, a line each. If the text were made in one piece, it would take many times the
    // memory of the recording.
    std::fputs(R"({"displayTimeUnit":"ns","otherData":{"writer":"Sinter"},"traceEvents":[)", m_file);
    name("process_name", m_queue_process, 0, "queues");
    name("process_name", m_contents.process, 0, "threads");
    for (const traced_track& each : m_contents.threads) name("thread_name", m_contents.process, each.number, each.text);
    for (const trace_event& each : m_contents.events) {
      if (each.what == trace_event::type::span && each.thread != 0) span(each, m_contents.process, each.thread);
    }
    queues();
    arrows();
    std::fputs("\n]}\n", m_file);
    return std::ferror(m_file) == 0;
  }

private:
  std::uint64_t origin() const noexcept {
    std::uint64_t first = ~std::uint64_t{0};
    for (const trace_event& each : m_contents.events) {
      if (each.what == trace_event::type::span) first = std::min(first, each.start);
    }
    return first;
  }

  /// Begins a new event in the memory of the previous one.
  json& begin(const char* phase, std::uint32_t process, std::uint32_t track) {
    m_event.clear();
    m_event["ph"] = phase;
    m_event["pid"] = process;
    m_event["tid"] = track;
    return m_event;
  }

  void end() {
    // Kernels are named by programs, whose names need not be UTF-8.
    const std::string text = m_event.dump(-1, ' ', false, json::error_handler_t::replace);
    std::fputs(std::exchange(m_any, true) ? ",\n" : "\n", m_file);
    std::fwrite(text.data(), 1, text.size(), m_file);
  }

  void name(const char* what, std::uint32_t process, std::uint32_t track, const std::string& text) {
    json& event = begin("M", process, track);
    event["name"] = what;
    event["args"]["name"] = text;
    end();
  }

  /// Returns microseconds, which the format requires. A double represents times up to 50 days exactly to a nanosecond,
  /// and the file has all of these digits.
  static double microseconds(std::uint64_t nanoseconds) noexcept { return static_cast<double>(nanoseconds) / 1000; }

  void span(const trace_event& event, unsigned process, std::uint32_t track) {
    // Events of length zero would be invisible.
    const std::uint64_t end_time = std::max(event.end, event.start + 1);
    const bool is_step = event.queue == 0 && event.point.number != 0;
    if (event.point.number != 0 && (is_step || process == m_queue_process)) {
      const place first{process, track, event.start}, last{process, track, end_time - 1};
      place_pair& places =
          m_places.try_emplace(point_key(event.point.queue, event.point.number), first, last).first->second;
      if (first.moment < places.first.moment) places.first = first;
      if (last.moment > places.last.moment) places.last = last;
    }
    json& written = begin("X", process, track);
    written["ts"] = microseconds(event.start - m_origin);
    written["dur"] = microseconds(end_time - event.start);
    written["name"] = event.name;
    written["cat"] = category(event.kind);
    if (is_of_queue(event)) written["args"]["queue"] = event.queue;
    const bool is_memory = event.kind == trace_kind::memory || event.kind == trace_kind::transfer;
    if (event.size != 0) written["args"][is_memory ? "bytes" : "work_items"] = event.size;
    end();
  }

  bool is_of_queue(const trace_event& event) const {
    const auto track = m_tracks.find(event.queue);
    return track != m_tracks.end() && track->second->is_queue;
  }

  /// Writes the tracks of queues. Commands that overlap get different tracks.
  void queues() {
    std::map<std::uint32_t, std::vector<const trace_event*>> of_queue;
    for (const trace_event& each : m_contents.events) {
      if (each.what == trace_event::type::span && each.queue != 0) of_queue[each.queue].push_back(&each);
    }
    std::uint32_t tracks = 0;
    for (auto& [queue, spans] : of_queue) {
      std::stable_sort(spans.begin(), spans.end(),
                       [](const trace_event* a, const trace_event* b) { return a->start < b->start; });
      const auto named = m_tracks.find(queue);
      const std::string text = named == m_tracks.end() ? std::string() : named->second->text;
      const std::uint32_t before = tracks;
      std::vector<std::uint64_t> busy_until;
      for (const trace_event* each : spans) {
        auto lane = std::find_if(busy_until.begin(), busy_until.end(),
                                 [&](std::uint64_t until) { return until <= each->start; });
        if (lane == busy_until.end() && busy_until.size() < most_lanes) {
          name("thread_name", m_queue_process, ++tracks, text + (busy_until.empty() ? "" : ", beside"));
          lane = busy_until.insert(busy_until.end(), 0);
        }
        if (lane == busy_until.end()) continue;
        *lane = std::max(each->end, each->start + 1);
        span(*each, m_queue_process, before + 1 + static_cast<std::uint32_t>(lane - busy_until.begin()));
      }
    }
  }

  void arrows() {
    std::map<point_key, std::vector<point_key>> before_shells;
    const auto ends_of = [](const trace_event& each) {
      return std::pair(point_key(each.queue, each.size), point_key(each.point.queue, each.point.number));
    };
    for (const trace_event& each : m_contents.events) {
      if (each.what != trace_event::type::dependence) continue;
      const auto [before, after] = ends_of(each);
      if (!m_places.contains(after)) before_shells[after].push_back(before);
    }
    for (const trace_event& each : m_contents.events) {
      if (each.what != trace_event::type::dependence) continue;
      const auto [before, after] = ends_of(each);
      const auto to = m_places.find(after);
      if (to == m_places.end()) continue;
      // An event that never ran is replaced by the events it waited for.
      std::vector<point_key> open{before};
      std::set<point_key> seen;
      for (std::size_t drawn = 0; !open.empty() && drawn < most_arrows_through;) {
        const point_key at = open.back();
        open.pop_back();
        if (!seen.insert(at).second) continue;
        if (const auto from = m_places.find(at); from != m_places.end()) {
          arrow(from->second, to->second);
          ++drawn;
        } else if (const auto shell = before_shells.find(at); shell != before_shells.end()) {
          open.insert(open.end(), shell->second.begin(), shell->second.end());
        }
      }
    }
  }

  /// Draws an arrow once, from the last moment of one span to the first moment of the other span.
  void arrow(const place_pair& from, const place_pair& to) {
    if (!m_drawn.emplace(&from, &to).second) return;
    const auto half = [&](const char* phase, const place& at) {
      json& event = begin(phase, at.process, at.track);
      event["ts"] = microseconds(at.moment - m_origin);
      event["name"] = "waits for";
      event["cat"] = "dependence";
      event["id"] = m_drawn.size();
      // Without this field, the arrow would end at the next span.
      if (*phase == 'f') event["bp"] = "e";
      end();
    };
    half("s", from.last);
    half("f", to.first);
  }

  std::FILE* const m_file;
  const trace_contents& m_contents;
  const std::uint32_t m_queue_process;
  std::map<std::uint32_t, const traced_track*> m_tracks;
  std::uint64_t m_origin = 0;
  json m_event;
  bool m_any = false;
  std::map<point_key, place_pair> m_places;
  std::set<std::pair<const place_pair*, const place_pair*>> m_drawn;
};

}  // namespace

bool write_trace_file(std::FILE* file, const trace_contents& contents) { return writer(file, contents).write(); }

}  // namespace sinter
