/// Runs random programs and compares their results with the expected ones.
///
/// usage: stress SEEDS [FIRST] [edges|write_back]. The last argument plants an error in the scheduler. One of the
/// seeds has to find this error.

#include "stress_seeds.hpp"

int main(int argc, char** argv) {
  setenv("SYCL_RT_WARNING_LEVEL", "0", 0);  // turns off warnings about fusions that end early
  auto& hooks = sycl::detail::test_hooks();
  return test::run_seeds(argc, argv, [&](const std::string& planted) {
    if (planted == "edges") hooks.dropped_edge = 5;
    if (planted == "write_back") hooks.late_write_back = true;
  });
}
