/// Random programs on the CPU and two mock devices, compared with what they have to compute.
///
/// usage: device_stress SEEDS [FIRST] [edges|waits|transfers]; with an error planted into the scheduler, one of the
/// seeds has to fail.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <scheduler/test_hooks.hpp>
#include <string>

#include "../unit/scheduler/random_program.hpp"
#include "mock_device.hpp"

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
  if (planted == "waits") hooks.dropped_wait = 5;
  if (planted == "transfers") hooks.dropped_transfer = 5;
  setenv("SYCL_RT_WARNING_LEVEL", "0", 0);
  std::signal(SIGALRM, hangs);
  test::add_mock_devices(std::size_t{16} << 20, 300);
  test::set_devices(sycl::device::get_devices());
  long failures = 0;
  for (long seed = first; seed < first + seeds; ++seed) {
    current_seed = static_cast<std::sig_atomic_t>(seed);
    hooks.shuffle = seed % 2 == 0;
    alarm(120);
    std::string failure = test::run_seed(static_cast<std::uint64_t>(seed));
    if (failure.empty() && planted.empty()) {
      for (test::mock_device* each : test::mock_devices()) {
        // Commands go with the attendant's next visit.
        for (int look = 0; each->memory().allocations() != 0 && look < 1000; ++look) usleep(1000);
        if (each->memory().allocations() != 0) failure = "seed " + std::to_string(seed) + ": device memory is left";
      }
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
