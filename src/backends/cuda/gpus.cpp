#include "gpus.hpp"

#include <algorithm>

#include "driver.hpp"

namespace sinter::cuda {
namespace {

/// The limit of local memory per thread on all GPUs (CUDA C++ Programming Guide, technical specifications).
constexpr std::uint64_t most_private_bytes = 512 << 10;

int attribute(const driver& functions, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(functions.cuDeviceGetAttribute(&value, which, device), "asking for an attribute of a GPU");
  return value;
}

gpu describe(const driver& functions, CUdevice device) {
  char name[256] = {};
  std::size_t bytes = 0;
  check(functions.cuDeviceGetName(name, sizeof(name) - 1, device), "asking for the name of a GPU");
  check(functions.cuDeviceTotalMem(&bytes, device), "asking for the memory of a GPU");
  const int major = attribute(functions, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = attribute(functions, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const auto multiprocessors =
      static_cast<unsigned>(attribute(functions, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  // However few threads a launch has, the driver takes memory for all that the GPU can hold at a time.
  const auto threads = static_cast<std::uint64_t>(
      attribute(functions, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)) * multiprocessors;
  const std::uint64_t private_bytes = std::min(most_private_bytes, threads != 0 ? bytes / threads : most_private_bytes);
  return {name, "sm_" + std::to_string(10 * major + minor), bytes, multiprocessors, private_bytes};
}

}  // namespace

std::vector<gpu> find_gpus() {
  std::vector<gpu> result;
  const driver* functions = find_driver();
  if (!functions) return result;
  int count = 0;
  check(functions->cuDeviceGetCount(&count), "counting GPUs");
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    check(functions->cuDeviceGet(&device, i), "opening a GPU");
    result.push_back(describe(*functions, device));
  }
  return result;
}

}  // namespace sinter::cuda
