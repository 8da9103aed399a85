#pragma once
/// Common parts of programs that run many random programs: the arguments SEEDS [FIRST] [PLANTED] and the verdict.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <scheduler/test_hooks.hpp>
#include <string>

#include "random_program.hpp"

namespace test {

inline volatile std::sig_atomic_t current_seed = 0;

/// Called if a program hangs. It prints the seed.
inline void hangs(int) {
  char line[64];
  const int length = std::snprintf(line, sizeof(line), "seed %ld hangs\n", static_cast<long>(current_seed));
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  std::abort();
}

/// `plant` puts an error into the scheduler. Then one of the seeds has to fail. `look_behind` returns a text about
/// anything that a program has left behind by mistake.
inline int run_seeds(int argc, char** argv, const std::function<void(const std::string& planted)>& plant,
                     const std::function<std::string()>& look_behind = {},
                     const std::function<std::string(std::uint64_t seed)>& run = run_seed) {
  const long seeds = argc > 1 ? std::atol(argv[1]) : 200, first = argc > 2 ? std::atol(argv[2]) : 1;
  const std::string planted = argc > 3 ? argv[3] : "";
  plant(planted);
  std::signal(SIGALRM, hangs);
  long failures = 0;
  for (long seed = first; seed < first + seeds; ++seed) {
    current_seed = static_cast<std::sig_atomic_t>(seed);
    sycl::detail::test_hooks().shuffle = seed % 2 == 0;
    alarm(120);
    std::string failure = run(static_cast<std::uint64_t>(seed));
    if (failure.empty() && planted.empty() && look_behind) {
      failure = look_behind();
      if (!failure.empty()) failure = "seed " + std::to_string(seed) + ": " + failure;
    }
    if (failure.empty()) continue;
    ++failures;
    std::printf("%s\n", failure.c_str());
    if (!planted.empty()) break;
  }
  std::printf("%ld programs from seed %ld, %s: %ld wrong\n", seeds, first,
              planted.empty() ? "nothing planted" : planted.c_str(), failures);
  return (failures == 0) == planted.empty() ? 0 : 1;
}

}  // namespace test
