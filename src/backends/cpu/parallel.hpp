#pragma once
/// A range of work, shared among threads: oneTBB's, or plain ones for the thread sanitizer, which does not understand
/// oneTBB.

#include <algorithm>
#include <cstdint>
#include <runtime/environment.hpp>

#ifdef SINTER_PLAIN_THREADS
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <optional>

#include "affinity.hpp"
#endif

namespace sinter {

/// The threads that work for a device: at most `most` at a time, those that call among them; 0 means all there are.
/// share(): body(first, last) for parts of [first, last) of at least about `grain`; the calling thread takes part.
#ifdef SINTER_PLAIN_THREADS
class thread_share {
public:
  explicit thread_share(unsigned most) : m_most(most) {}

  template <class Body>
  void share(std::uint64_t first, std::uint64_t last, std::uint64_t grain, const Body& body) {
    const std::uint64_t parts = m_most == 0 ? 3 : m_most;
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

private:
  const unsigned m_most;
};
#else
class thread_share {
public:
  explicit thread_share(unsigned most) : m_most(most) {
    if (most < 2) return;
    m_arena.initialize(static_cast<int>(most));
    if (environment().affinity) m_pinning.emplace(m_arena);
  }

  template <class Body>
  void share(std::uint64_t first, std::uint64_t last, std::uint64_t grain, const Body& body) {
    if (m_most == 1) return body(first, last);
    auto all = [&] {
      tbb::parallel_for(tbb::blocked_range<std::uint64_t>(first, last, grain),
                        [&](const tbb::blocked_range<std::uint64_t>& part) { body(part.begin(), part.end()); });
    };
    if (m_most != 0) return m_arena.execute(all);
    // Each calling thread has an arena of its own.
    if (environment().affinity) static thread_local worker_pinning pinned;
    all();
  }

private:
  const unsigned m_most;
  tbb::task_arena m_arena;  ///< of all calling threads; for two threads or more
  std::optional<worker_pinning> m_pinning;
};
#endif

}  // namespace sinter
