/// Runs random programs on the CPU and two mock devices, and compares their results with the expected ones.
///
/// usage: device_stress SEEDS [FIRST] [edges|waits|transfers]. The last argument plants an error in the scheduler.
/// One of the seeds has to find this error.

#include "../unit/scheduler/stress_seeds.hpp"
#include "mock_device.hpp"

namespace {

std::string memory_left() {
  for (test::mock_device* each : test::mock_devices()) {
    if (!each->memory().comes_to(0)) return "device memory is left";
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  setenv("SYCL_RT_WARNING_LEVEL", "0", 0);
  test::add_mock_devices(std::size_t{16} << 20, 300);
  test::set_devices(sycl::device::get_devices());
  auto& hooks = sycl::detail::test_hooks();
  const auto plant = [&](const std::string& planted) {
    if (planted == "edges") hooks.dropped_edge = 5;
    if (planted == "waits") hooks.dropped_wait = 5;
    if (planted == "transfers") hooks.dropped_transfer = 5;
  };
  return test::run_seeds(argc, argv, plant, memory_left);
}
