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

#include "affinity.hpp"
#endif

namespace sinter {

/// body(first, last) for parts of [first, last) of at least about `grain`, on several threads; the calling one takes
/// part.
#ifdef SINTER_PLAIN_THREADS
template <class Body>
void in_parallel(std::uint64_t first, std::uint64_t last, std::uint64_t grain, const Body& body) {
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
#else
template <class Body>
void in_parallel(std::uint64_t first, std::uint64_t last, std::uint64_t grain, const Body& body) {
  auto all = [&] {
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(first, last, grain),
                      [&](const tbb::blocked_range<std::uint64_t>& part) { body(part.begin(), part.end()); });
  };
  const unsigned limit = environment().threads;
  if (limit == 0) {
    if (environment().affinity) static thread_local worker_pinning pinned;
    return all();
  }
  static thread_local tbb::task_arena arena(static_cast<int>(limit));
  if (environment().affinity) static thread_local worker_pinning pinned(arena);
  arena.execute(all);
}
#endif

}  // namespace sinter
