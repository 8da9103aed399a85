#pragma once
/// Measures times, for the SYCL and the CUDA C++ side of the comparison.

#include <algorithm>
#include <chrono>

/// Returns the microseconds of the fastest of some runs.
template <class Run>
double best_of(int runs, const Run& run) {
  using clock = std::chrono::steady_clock;
  double least = 1e30;
  for (int i = 0; i < runs; ++i) {
    const auto start = clock::now();
    run();
    least = std::min(least, std::chrono::duration<double, std::micro>(clock::now() - start).count());
  }
  return least;
}
