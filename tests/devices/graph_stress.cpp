/// Runs random graphs on the CPU and a mock device, or on GPUs and OpenCL's devices if there are any, and compares the
/// graphs' results with the expected results.
///
/// usage: graph_stress SEEDS [FIRST] [edges|updates|temporaries|promotion|lengths]. The last argument plants an error.
/// One of the seeds has to find this error. The address sanitizer has to report the error of `lengths`.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "../unit/scheduler/stress_seeds.hpp"
#include "graph_program.hpp"
#include "mock_device.hpp"

namespace {

bool planted_for_sanitizers = false;

}  // namespace

/// The address sanitizer's runtime calls this function before it ends the program.
extern "C" void __asan_on_error() {  // NOLINT(bugprone-reserved-identifier)
  if (!planted_for_sanitizers) return;
  std::puts("the sanitizer takes note");
  std::fflush(stdout);
  std::_Exit(0);
}

int main(int argc, char** argv) {
  setenv("SYCL_RT_WARNING_LEVEL", "0", 0);
  test::add_mock_devices(std::size_t{16} << 20, 300);
  std::vector<sycl::device> devices = sycl::device::get_devices();
  const auto has_driver = [](const sycl::device& each) {
    return each.get_backend() == sycl::backend::opencl || each.get_backend() == sycl::backend::ext_oneapi_cuda;
  };
  if (std::any_of(devices.begin(), devices.end(), has_driver)) {
    std::erase_if(devices, [&](const sycl::device& each) { return !has_driver(each); });
  }
  auto& hooks = sycl::detail::test_hooks();
  hooks.early_constants = true;
  const auto plant = [&](const std::string& planted) {
    if (planted == "edges") hooks.dropped_graph_edge = 5;
    if (planted == "updates") hooks.dropped_graph_update = 2;
    if (planted == "temporaries") hooks.overlapping_temporaries = true;
    if (planted == "promotion") hooks.promoted_although_read = true;
    planted_for_sanitizers = hooks.longer_fused = planted == "lengths";
  };
  return test::run_seeds(argc, argv, plant, {}, [&](std::uint64_t seed) {
    // Some graphs run each command separately.
    hooks.all_programs = seed / devices.size() % 4 != 0;
    const std::string wrong = test::run_graphs(seed, devices[seed % devices.size()]);
    return wrong.empty() ? wrong : "seed " + std::to_string(seed) + ": " + wrong;
  });
}
