#pragma once
/// Common parts of the programs of this folder: their command line, verification, and interleaved samples as lines of
/// JSON.
///
/// Each program is called as NAME [PAIRS [SIZE...]]. If PAIRS is 0, the program only verifies the results. For each
/// case, it prints
///   {"name": case, "first": milliseconds by which the first launch is slower, "work": amount,
///    "unit": "GFLOP" or "GB"}
/// and, for each pair, the milliseconds of one run of each side, and the milliseconds that the machine needs at its
/// measured peak:
///   {"name": case, "runs": runs per sample, "sinter": ms, <reference>: ms..., "peak": ms}

#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "references.hpp"

namespace bench {

inline double milliseconds(int runs, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / runs;
}

/// One implementation of a case.
struct side {
  std::string name;
  std::function<void()> run;
  /// Replaces `run`: makes this number of runs in another process and returns the milliseconds of one run. The process
  /// checks its results itself.
  std::function<double(int)> run_elsewhere = {};

  double milliseconds(int runs) const { return run_elsewhere ? run_elsewhere(runs) : bench::milliseconds(runs, run); }
};

/// The sides that are compared: Sinter comes first, references follow.
struct comparison {
  std::string name;
  std::vector<side> sides;
  std::function<void()> spoil;     ///< overwrites the result, so that a side that computes nothing is detected
  std::function<bool()> is_right;  ///< compares with plain scalar execution
  double operations = 0;           ///< number of floating-point operations, if they limit the speed
  traffic memory = {};             ///< if memory limits the speed: the least number of bytes that have to be read and
                                   ///< written
  int sweeps = 1;                  ///< number of repetitions of the operations or the traffic in one run
};

/// Whether all values are as expected. A value may differ from the expected value by `tolerance` times the sum of the
/// expected value's magnitude and a typical magnitude.
template <class T>
bool are_close(const T* values, const T* expected, std::size_t count, double tolerance) {
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i)
    squares += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  const double typical = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(count, 1)));
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted = static_cast<double>(expected[i]), found = static_cast<double>(values[i]);
    // The comparison is written so that NaN counts as wrong.
    if (!(std::abs(found - wanted) <= tolerance * (std::abs(wanted) + typical))) {
      std::fprintf(stderr, "element %zu of %zu is %.9g instead of %.9g\n", i, count, found, wanted);
      return false;
    }
  }
  return true;
}

class program {
public:
  program(int word_count, char** words, std::vector<std::size_t> default_sizes)
      : m_pairs(word_count > 1 ? std::atoi(words[1]) : 30), m_sizes(std::move(default_sizes)) {
    m_name = words[0];
    m_name.erase(0, m_name.rfind('/') + 1);
    const std::size_t given = word_count > 2 ? static_cast<std::size_t>(word_count - 2) : 0;
    bool usable = m_pairs >= 0 && given <= m_sizes.size();
    for (std::size_t i = 0; usable && i < given; ++i) {
      m_sizes[i] = std::strtoull(words[i + 2], nullptr, 10);
      usable = m_sizes[i] > 0;
    }
    if (!usable) {
      std::fprintf(stderr, "usage: %s [PAIRS [SIZE...]], at most %zu sizes\n", m_name.c_str(), m_sizes.size());
      std::exit(2);
    }
    openmp_asleep();
    // Starts the device and opens LLVM before anything is measured, because this time must not count as part of a
    // kernel's first launch.
    queue.single_task([] {}).wait();
  }

  std::size_t size(std::size_t i) const { return m_sizes[i]; }

  template <class T>
  T* allocate(std::size_t count) {
    return sycl::aligned_alloc_shared<T>(64, std::max<std::size_t>(count, 1), queue);
  }

  void measure(const comparison& wanted) {
    const side& sinter = wanted.sides.front();
    wanted.spoil();
    const double first = milliseconds(1, sinter.run);
    require_right(wanted, sinter);
    const bool computes = wanted.operations > 0;
    const double bytes = static_cast<double>(wanted.memory.bytes) * (wanted.memory.reads + wanted.memory.writes);
    std::printf("{\"name\": \"%s\", \"first\": %.6f, \"work\": %.6f, \"unit\": \"%s\"}\n", wanted.name.c_str(),
                first - milliseconds(1, sinter.run), wanted.sweeps * (computes ? wanted.operations : bytes) * 1e-9,
                computes ? "GFLOP" : "GB");
    std::vector<double> times(wanted.sides.size() + 1);
    double shortest = 1e9;
    for (const side& each : wanted.sides) {
      if (each.run_elsewhere) {
        each.run_elsewhere(1);
      } else {
        wanted.spoil();
        each.run();
        require_right(wanted, each);
      }
      for (int i = 0; i < std::min(m_pairs, 3); ++i) shortest = std::min(shortest, each.milliseconds(1));
    }
    // A sample lasts at least about five milliseconds, so that the clock and the first wake-up don't matter.
    const int runs = static_cast<int>(std::clamp(5.0 / std::max(shortest, 1e-6), 1.0, 5000.0));
    for (int pair = 0; pair < m_pairs; ++pair) {
      // In each round, another side comes first.
      for (std::size_t i = 0; i < times.size(); ++i) {
        const std::size_t k = (i + static_cast<std::size_t>(pair)) % times.size();
        times[k] = k < wanted.sides.size() ? sample(wanted.sides[k], runs, k > 0)
                   : computes              ? wanted.sweeps * peak_multiply_add(wanted.operations)
                                           : wanted.sweeps * peak_memory(wanted.memory, runs);
      }
      std::printf("{\"name\": \"%s\", \"runs\": %d", wanted.name.c_str(), runs);
      for (std::size_t k = 0; k < wanted.sides.size(); ++k) {
        std::printf(", \"%s\": %.6f", wanted.sides[k].name.c_str(), times[k]);
      }
      std::printf(", \"peak\": %.6f}\n", times.back());
      std::fflush(stdout);
    }
    wanted.spoil();
    sinter.run();
    require_right(wanted, sinter);
  }

  sycl::queue queue{sycl::property::queue::in_order{}};

private:
  /// OpenMP's workers stay awake while a reference is measured, and sleep while Sinter is measured.
  static double sample(const side& each, int runs, bool is_reference) {
    if (is_reference) openmp_awake();
    const double time = each.milliseconds(runs);
    if (is_reference) openmp_asleep();
    return time;
  }

  void require_right(const comparison& wanted, const side& each) const {
    if (wanted.is_right()) return;
    std::fprintf(stderr, "%s: '%s' computes a wrong result for '%s'\n", m_name.c_str(), each.name.c_str(),
                 wanted.name.c_str());
    std::exit(1);
  }

  int m_pairs;
  std::vector<std::size_t> m_sizes;
  std::string m_name;
};

/// Random numbers, which are equal in each run.
class dice {
public:
  std::uint32_t next() {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(m_state >> 32);
  }
  float between(float low, float high) { return low + (high - low) * static_cast<float>(next() >> 8) * 0x1p-24f; }

private:
  std::uint64_t m_state = 42;
};

}  // namespace bench
