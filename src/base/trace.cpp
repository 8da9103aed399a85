#include "trace.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "environment.hpp"
#include "per_thread.hpp"
#include "race_notes.hpp"
#include "trace_clock.hpp"
#include "trace_file.hpp"

namespace sinter {

constinit std::atomic<bool> trace_is_on{false};

namespace {

// With this number of events, a chunk including its other members has 256 KiB.
constexpr std::size_t events_per_chunk = 4095;
// The limit is about 256 MiB, because no viewer opens larger traces.
constexpr std::size_t most_chunks = 1024;

/// The events that one thread has recorded. Only this thread appends, and other threads read up to `count`. The log is
/// never destroyed.
struct thread_log {
  struct chunk {
    trace_event events[events_per_chunk];
    chunk* next;
  };
  /// the system's number of the thread that makes the log
  std::uint32_t number = static_cast<std::uint32_t>(gettid());
  std::string name;
  chunk* first = nullptr;
  chunk* last = nullptr;
  std::size_t used = events_per_chunk;  ///< number of events in the last chunk
  std::atomic<std::size_t> count{0};
};

/// All logs of the process. The object is never destroyed, because threads may work until the process ends.
struct trace_log {
  std::FILE* file = nullptr;
  pid_t process = 0;
  std::atomic<std::size_t> chunks{0};
  std::atomic<std::uint64_t> next_number{1};

  std::mutex mutex;  // protects the members below
  std::vector<std::unique_ptr<thread_log>> threads;
  std::vector<traced_track> tracks;
  std::set<std::string, std::less<>> texts;

  static trace_log& instance() {
    static auto* log = new (sinter::lasting) trace_log;
    return *log;
  }
};

std::string name_of_thread() {
  if (gettid() == getpid()) return "main thread";
  char own[32] = "", main[32] = "";
  pthread_getname_np(pthread_self(), own, sizeof(own));
  if (std::FILE* file = std::fopen("/proc/self/comm", "r")) {
    if (std::fgets(main, sizeof(main), file)) main[std::strcspn(main, "\n")] = 0;
    std::fclose(file);
  }
  // Viewers add the thread's number to the name.
  return std::strcmp(own, main) == 0 ? "thread" : own;
}

/// The calling thread's log, which outlives the thread.
struct own_log {
  thread_log* log = nullptr;
  own_log() {
    auto made = std::make_unique<thread_log>();
    made->name = name_of_thread();
    log = made.get();
    trace_log& all = trace_log::instance();
    std::lock_guard lock(all.mutex);
    all.threads.push_back(std::move(made));
  }
};

/// Returns null if no memory is left. All pages of the chunk are allocated at once, because a page fault takes as long
/// as recording the 64 events of a page.
thread_log::chunk* make_chunk() noexcept {
  void* made = mmap(nullptr, sizeof(thread_log::chunk), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return made == MAP_FAILED ? nullptr : static_cast<thread_log::chunk*>(made);
}

/// Makes room for more events. Returns false if there is no more room, which is reported once.
[[gnu::noinline]] bool grow(thread_log& log) {
  const bool is_full = trace_log::instance().chunks.fetch_add(1, std::memory_order_relaxed) >= most_chunks;
  thread_log::chunk* const made = is_full ? nullptr : make_chunk();
  if (made) {
    (log.last ? log.last->next : log.first) = made;
    log.last = made;
    log.used = 0;
    return true;
  }
  if (!trace_is_on.exchange(false)) return false;
  if (is_full) {
    std::fprintf(stderr,
                 "sinter: SINTER_TRACE: %zu events are the most that a trace can have; what comes later is not in it\n",
                 most_chunks * events_per_chunk);
  } else {
    std::fputs("sinter: SINTER_TRACE: there is no memory for more events; what comes later is not in it\n", stderr);
  }
  return false;
}

/// Makes an event directly in the log, because copying an event that has just been written makes the processor wait for
/// the stores.
template <class Make>
void append(const Make& make) {
  thread_log& log = *per_thread<own_log>().log;
  if (log.used == events_per_chunk && !grow(log)) return;
  make(log.last->events[log.used++]);
  log.count.store(log.count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

trace_contents contents_of(trace_log& log) {
  trace_contents contents;
  std::lock_guard lock(log.mutex);
  contents.process = static_cast<std::uint32_t>(log.process);
  contents.tracks = log.tracks;
  std::vector<std::size_t> counts;
  std::size_t all = 0;
  for (const auto& each : log.threads) all += counts.emplace_back(each->count.load(std::memory_order_acquire));
  contents.events.reserve(all);
  for (std::size_t thread = 0; thread < counts.size(); ++thread) {
    const thread_log& its = *log.threads[thread];
    contents.threads.push_back({its.number, its.name});
    const thread_log::chunk* chunk = its.first;
    for (std::size_t i = 0; i < counts[thread]; ++i) {
      if (i != 0 && i % events_per_chunk == 0) chunk = chunk->next;
      trace_event& event = contents.events.emplace_back(chunk->events[i % events_per_chunk]);
      if (event.what == trace_event::type::span && event.thread != 0) event.thread = its.number;
    }
  }
  return contents;
}

void write_trace() {
  trace_is_on.store(false);
  trace_log& log = trace_log::instance();
  // A forked process has a copy of its parent's events, but only the parent writes them to a file.
  if (log.process != getpid()) return;
  std::string failure;
  // The program is ending and its results are right. So a failure while the trace is written, such as no memory left,
  // must not abort the program.
  try {
    if (!write_trace_file(log.file, contents_of(log))) failure = std::strerror(errno);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (std::fclose(log.file) != 0 && failure.empty()) failure = std::strerror(errno);
  if (failure.empty()) return;
  std::fprintf(stderr, "sinter: SINTER_TRACE: '%s' can't be written to its end: %s\n", environment().trace.c_str(),
               failure.c_str());
}

/// Returns the path with the number of this process in place of %p.
std::string path_of_trace() {
  std::string path = environment().trace;
  if (const std::size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  return path;
}

bool open_trace() {
  if (environment().trace.empty()) return false;
  trace_log& log = trace_log::instance();
  const std::string path = path_of_trace();
  log.process = getpid();
  log.file = std::fopen(path.c_str(), "we");
  if (!log.file) {
    std::fprintf(stderr, "sinter: SINTER_TRACE: '%s' can't be written: %s; the program runs without a trace\n",
                 path.c_str(), std::strerror(errno));
    return false;
  }
  std::atexit(write_trace);
  trace_is_on.store(true);
  return true;
}

}  // namespace

void start_trace() {
  static const bool opened = open_trace();
  (void)opened;
}

void trace(const traced_span& span) {
  append([&](trace_event& event) {
    event = {.name = span.name,
             .start = span.start,
             .end = span.end,
             .point = span.point,
             .size = span.size,
             .queue = span.queue,
             .thread = span.on_thread ? 1u : 0u,
             .kind = span.kind,
             .what = trace_event::type::span};
  });
}

void trace_dependence(traced_point before, traced_point after) {
  append([&](trace_event& event) {
    event = {.name = nullptr,
             .start = 0,
             .end = 0,
             .point = after,
             .size = before.number,
             .queue = before.queue,
             .thread = 0,
             .kind = {},
             .what = trace_event::type::dependence};
  });
}

void trace_track(std::uint32_t number, std::string text, bool is_queue) {
  trace_log& log = trace_log::instance();
  std::lock_guard lock(log.mutex);
  log.tracks.push_back({number, std::move(text), is_queue});
}

std::uint64_t next_trace_number() noexcept {
  return trace_log::instance().next_number.fetch_add(1, std::memory_order_relaxed);
}

const char* lasting_text(std::string_view text) {
  trace_log& log = trace_log::instance();
  std::lock_guard lock(log.mutex);
  auto found = log.texts.find(text);
  if (found == log.texts.end()) found = log.texts.emplace(text).first;
  return found->c_str();
}

std::uint64_t trace_scope::now() noexcept { return trace_time(); }

}  // namespace sinter
