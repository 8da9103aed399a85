#pragma once
/// Common parts of the programs of this folder: interleaved rounds of several implementations, printed as lines of
/// JSON.

#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "traffic.hpp"

struct way {
  const char* name;
  std::function<void()> run;
  bool is_openmp = false;
};

/// The time of one run in milliseconds: the mean of `repeats` runs.
inline double milliseconds(int repeats, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / repeats;
}

/// Prints a line for each round, with the milliseconds of each variant under its name. In each round, another variant
/// comes first.
inline void print_rounds(int rounds, int repeats, const std::vector<way>& ways) {
  std::vector<double> times(ways.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t which = (static_cast<std::size_t>(round) + i) % ways.size();
      if (ways[which].is_openmp) openmp_awake();
      times[which] = milliseconds(repeats, ways[which].run);
      if (ways[which].is_openmp) openmp_asleep();
    }
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::printf("%s\"%s\": %.6f", i == 0 ? "{" : ", ", ways[i].name, times[i]);
    }
    std::puts("}");
  }
}
