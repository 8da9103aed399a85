/// Runs random programs and compares with what they have to compute.
///
/// usage: stress SEEDS [FIRST] [edges|write_back]; with an error planted into the scheduler, one of the seeds has to
/// fail.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <scheduler/test_hooks.hpp>
#include <string>

#include "random_program.hpp"

namespace {

volatile std::sig_atomic_t current_seed = 0;

/// A program that hangs says which one it was.
void hangs(int) {
  char line[64];
  const int length = std::snprintf(line, sizeof(line), "seed %ld hangs\n", static_cast<long>(current_seed));
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const long seeds = argc > 1 ? std::atol(argv[1]) : 200, first = argc > 2 ? std::atol(argv[2]) : 1;
  const std::string planted = argc > 3 ? argv[3] : "";
  auto& hooks = sycl::detail::test_hooks();
  if (planted == "edges") hooks.dropped_edge = 5;
  if (planted == "write_back") hooks.late_write_back = true;
  setenv("SYCL_RT_WARNING_LEVEL", "0", 0);  // fusions that end early, all the time
  std::signal(SIGALRM, hangs);
  long failures = 0;
  for (long seed = first; seed < first + seeds; ++seed) {
    current_seed = static_cast<std::sig_atomic_t>(seed);
    hooks.shuffle = seed % 2 == 0;
    alarm(120);
    const std::string failure = test::run_seed(static_cast<std::uint64_t>(seed));
    if (failure.empty()) continue;
    ++failures;
    std::printf("%s\n", failure.c_str());
    if (!planted.empty()) break;
  }
  std::printf("%ld programs from seed %ld, %s: %ld wrong\n", seeds, first,
              planted.empty() ? "nothing planted" : planted.c_str(), failures);
  return (failures == 0) == planted.empty() ? 0 : 1;
}
