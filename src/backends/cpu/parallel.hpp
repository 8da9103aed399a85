#pragma once
/// Divides a range of work among threads. A team runs short ranges. oneTBB runs long ranges, so that several launches
/// at the same time share its threads. Under the thread sanitizer, which does not understand oneTBB's synchronisation,
/// plain threads run long ranges.

#include <algorithm>
#include <atomic>
#include <base/environment.hpp>
#include <base/processors.hpp>
#include <base/race_notes.hpp>
#include <chrono>
#include <cstdint>

#include "team.hpp"

#ifdef SINTER_PLAIN_THREADS
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/tbb_allocator.h>
#endif

namespace sinter {

#ifdef SINTER_PLAIN_THREADS
template <class Body>
void share_long(std::uint64_t first, std::uint64_t last, std::uint64_t grain, const Body& body) {
  constexpr std::uint64_t parts = 3;
  const std::uint64_t step = std::max(grain, (last - first + parts - 1) / parts);
  std::mutex mutex;  // protects error
  std::exception_ptr error;
  auto run = [&](std::uint64_t begin) {
    try {
      body(begin, std::min(last, begin + step));
    } catch (...) {
      std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t begin = first + step; begin < last; begin += step) threads.emplace_back(run, begin);
  if (first < last) run(first);
  for (std::thread& each : threads) each.join();
  if (error) std::rethrow_exception(error);
}
inline bool is_in_pool() noexcept { return false; }
inline void prepare_pool() {}
inline void start_pool() {}
#else
/// Pins the threads that join the calling thread's own oneTBB arena to processors (SINTER_AFFINITY).
class worker_pinning final : public tbb::task_scheduler_observer {
public:
  worker_pinning() {
    usable_processors();  // has to be called before workers are pinned
    observe(true);
  }
  ~worker_pinning() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    const int slot = tbb::this_task_arena::current_thread_index();
    if (is_worker && slot >= 0) pin_worker(static_cast<std::size_t>(slot));
  }
};

/// These objects make annotations for race detectors at the end of a scope, even if an exception leaves the scope.
struct released_at_end {
  const void* object;
  ~released_at_end() { note_release(object); }
};
struct acquired_at_end {
  const void* object;
  ~acquired_at_end() { note_acquire(object); }
};

template <class Body>
void share_long(std::uint64_t first, std::uint64_t last, std::uint64_t grain, const Body& body) {
  if (environment().affinity) static thread_local worker_pinning pinned;
  const char start = 0, end = 0;
  note_release(&start);
  const acquired_at_end all_parts{&end};
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(first, last, grain),
                    [&](const tbb::blocked_range<std::uint64_t>& part) {
                      note_acquire(&start);
                      const released_at_end this_part{&end};
                      body(part.begin(), part.end());
                    });
}
/// Makes oneTBB open its allocator's library now, and not during a command, at its first allocation. Opening a library
/// needs the dynamic loader's lock, and a thread that closes a library holds this lock while it waits for commands.
inline void prepare_pool() {
  tbb::tbb_allocator<char> memory;
  memory.deallocate(memory.allocate(1), 1);
}
/// Starts oneTBB's threads, which would otherwise start when a command first divides its work. That would be too late
/// if the program may close libraries (device_backend::load_all).
inline void start_pool() {
  static const bool is_started = [] {
    tbb::parallel_for(0, 2, [](int) {});
    return true;
  }();
  (void)is_started;
}
/// Returns whether the calling thread is in an arena of oneTBB: the thread is one of oneTBB's threads, or has called
/// oneTBB to run work.
inline bool is_in_pool() noexcept {
  return tbb::this_task_arena::current_thread_index() != tbb::task_arena::not_initialized;
}
#endif

/// The threads that work for a device. `most` limits their number, calling threads included, and may exceed the number
/// of processors. If `most` is 0, there is one thread for each processor.
class thread_share {
public:
  explicit thread_share(unsigned most) : m_limited(most != 0), m_team(helpers_for(most)) {}

  bool is_single() const noexcept { return m_team.most_helpers() == 0; }
  unsigned most() const noexcept { return m_team.most_helpers() + 1; }
  /// Returns how many nanoseconds of work a launch must have for it to be worth dividing among threads. `nanoseconds`
  /// is the estimated time of the launch on one thread, and `now` is its start. Calling a helper that is awake takes
  /// less than a microsecond; waking a helper takes several.
  double least_to_share(double nanoseconds, std::chrono::steady_clock::time_point now) noexcept {
    if (m_team.is_awake()) return worth_telling;
    if (nanoseconds < worth_telling || nanoseconds >= worth_waking) return worth_waking;
    // Many short launches in quick succession are also worth waking a helper.
    const auto time = now.time_since_epoch().count();
    if (time - m_alone_since.load(std::memory_order_relaxed) > time_together) {
      m_alone_since.store(time, std::memory_order_relaxed);
      m_alone.store(0, std::memory_order_relaxed);
    }
    const double alone = m_alone.load(std::memory_order_relaxed) + nanoseconds;
    m_alone.store(alone, std::memory_order_relaxed);
    return alone < worth_waking ? worth_waking : worth_telling;
  }

  /// Calls body(begin, end) for parts of [first, last); each part has at least `grain` elements, and the calling thread
  /// runs some of them. `nanoseconds` is the estimated time of all parts on one thread.
  template <class Body>
  void share(std::uint64_t first, std::uint64_t last, std::uint64_t grain, double nanoseconds, const Body& body) {
    if (is_single()) return body(first, last);
    if (m_limited || nanoseconds < long_work) {
      const auto threads =
          static_cast<std::uint64_t>(std::clamp(nanoseconds / least_per_thread, 2.0, m_team.most_helpers() + 1.0));
      // Every thread gets about the same number of pieces.
      const double each = std::clamp(nanoseconds / static_cast<double>(threads) / piece_work, 2.0, 16.0);
      const std::uint64_t most = (last - first + grain - 1) / grain;
      const std::uint64_t pieces = std::min(most, static_cast<std::uint64_t>(each) * threads);
      // The first `larger` pieces have one grain more than the others.
      const std::uint64_t grains = most / pieces, larger = most % pieces;
      const auto begin = [&](std::uint64_t i) {
        return std::min(last, first + (i * grains + std::min(i, larger)) * grain);
      };
      if (m_team.run(static_cast<std::uint32_t>(pieces), static_cast<unsigned>(threads) - 1, m_limited,
                     [&](std::uint32_t i) { body(begin(i), begin(i + 1)); })) {
        return;
      }
    }
    share_long(first, last, grain, body);
  }

private:
  // These times are in nanoseconds.
  static constexpr double worth_telling = 2e3;
  static constexpr double worth_waking = 2e4;
  static constexpr std::int64_t time_together = 100'000;
  static constexpr double long_work = 1e6;
  static constexpr double least_per_thread = 1e3;
  static constexpr double piece_work = 2e3;

  static unsigned helpers_for(unsigned most) {
    const auto processors = static_cast<unsigned>(std::max<std::size_t>(usable_processors().size(), 1));
    return (most == 0 ? processors : most) - 1;
  }

  const bool m_limited;
  team m_team;
  // m_alone_since is the start of a series of launches that ran on one thread while helpers slept; the next member is
  // the total time of these launches. Threads may change the two members at the same time: the only consequence is a
  // less accurate decision to wake a helper.
  std::atomic<std::int64_t> m_alone_since{0};
  std::atomic<double> m_alone{0};
};

}  // namespace sinter
