/// Runs random programs and compares with the expected results.
///
/// usage: stress SEEDS [FIRST] [edges|write_back]; with an error planted into the scheduler, one of the seeds has to
/// fail.

#include "stress_seeds.hpp"

int main(int argc, char** argv) {
  setenv("SYCL_RT_WARNING_LEVEL", "0", 0);  // fusions that end early, all the time
  auto& hooks = sycl::detail::test_hooks();
  return test::run_seeds(argc, argv, [&](const std::string& planted) {
    if (planted == "edges") hooks.dropped_edge = 5;
    if (planted == "write_back") hooks.late_write_back = true;
  });
}
