#include "trace.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
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
#include "trace_file.hpp"

namespace sinter {

constinit std::atomic<bool> trace_is_on{false};

namespace {

constexpr std::size_t events_per_chunk = 4096;
// Some 256 MiB. A trace of more opens nowhere.
constexpr std::size_t most_chunks = 1024;

/// What one thread has recorded: it alone appends, others read up to `count`.
struct thread_log {
  struct chunk {
    trace_event events[events_per_chunk];
    std::unique_ptr<chunk> next;
  };
  std::uint32_t number = static_cast<std::uint32_t>(gettid());  ///< of the thread that makes it
  std::string name;
  std::unique_ptr<chunk> first = std::make_unique<chunk>();
  chunk* last = first.get();
  std::atomic<std::size_t> count{0};
};

/// Never destroyed: threads may work until the process is gone.
struct trace_log {
  std::FILE* file = nullptr;
  pid_t process = 0;
  std::atomic<std::size_t> chunks{0};
  std::atomic<std::uint64_t> next_number{1};

  std::mutex mutex;  // protects what follows
  std::vector<std::unique_ptr<thread_log>> threads;
  std::vector<traced_track> tracks;
  std::set<std::string, std::less<>> texts;

  static trace_log& instance() {
    static auto* log = new trace_log;
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
  // Viewers put its number behind it.
  return std::strcmp(own, main) == 0 ? "thread" : own;
}

/// The calling thread's, which outlives it.
struct own_log {
  thread_log* log = nullptr;
  own_log() {
    auto made = std::make_unique<thread_log>();
    made->name = name_of_thread();
    log = made.get();
    trace_log& all = trace_log::instance();
    all.chunks.fetch_add(1, std::memory_order_relaxed);
    std::lock_guard lock(all.mutex);
    all.threads.push_back(std::move(made));
  }
};

void append(const trace_event& event) {
  thread_log& log = *per_thread<own_log>().log;
  const std::size_t count = log.count.load(std::memory_order_relaxed), at = count % events_per_chunk;
  if (at == 0 && count != 0) {
    if (trace_log::instance().chunks.fetch_add(1, std::memory_order_relaxed) >= most_chunks) {
      if (trace_is_on.exchange(false)) {
        std::fprintf(stderr,
                     "sinter: SINTER_TRACE: %zu events are the most that a trace can have; what comes later is "
                     "not in it\n",
                     most_chunks * events_per_chunk);
      }
      return;
    }
    log.last->next = std::make_unique<thread_log::chunk>();
    log.last = log.last->next.get();
  }
  log.last->events[at] = event;
  log.count.store(count + 1, std::memory_order_release);
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
    const thread_log::chunk* chunk = its.first.get();
    for (std::size_t i = 0; i < counts[thread]; ++i) {
      if (i != 0 && i % events_per_chunk == 0) chunk = chunk->next.get();
      trace_event& event = contents.events.emplace_back(chunk->events[i % events_per_chunk]);
      if (event.what == trace_event::type::span && event.thread != 0) event.thread = its.number;
    }
  }
  return contents;
}

void write_trace() {
  trace_is_on.store(false);
  trace_log& log = trace_log::instance();
  // Those of a forked process are its parent's.
  if (log.process != getpid()) return;
  std::string failure;
  // The program ends here, and what it made has not gone wrong: no memory left, say, is no reason to abort it.
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

/// With the number of this process in the place of %p.
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
  append({.name = span.name,
          .start = span.start,
          .end = span.end,
          .point = span.point,
          .size = span.size,
          .queue = span.queue,
          .thread = span.on_thread ? 1u : 0u,
          .kind = span.kind,
          .what = trace_event::type::span});
}

void trace_dependence(traced_point before, traced_point after) {
  append({.name = nullptr,
          .start = 0,
          .end = 0,
          .point = after,
          .size = before.number,
          .queue = before.queue,
          .thread = 0,
          .kind = {},
          .what = trace_event::type::dependence});
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

std::uint64_t trace_scope::now() noexcept {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace sinter
