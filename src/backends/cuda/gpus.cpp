#include "gpus.hpp"

#include <algorithm>

#include "driver.hpp"

namespace sinter::cuda {

int gpu_attribute(const driver& functions, gpu::device_number device, CUdevice_attribute which) {
  int value = 0;
  gpu::check(functions, functions.cuDeviceGetAttribute(&value, which, device), "asking for an attribute of a GPU");
  return value;
}

namespace {

/// The limit of local memory per thread on all GPUs (CUDA C++ Programming Guide, technical specifications).
constexpr std::uint64_t most_private_bytes = 512 << 10;

gpu::gpu_description describe(const driver& functions, gpu::device_number device) {
  char name[256] = {};
  std::size_t bytes = 0;
  gpu::check(functions, functions.cuDeviceGetName(name, sizeof(name) - 1, device), "asking for the name of a GPU");
  gpu::check(functions, functions.cuDeviceTotalMem(&bytes, device), "asking for the memory of a GPU");
  const int major = gpu_attribute(functions, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = gpu_attribute(functions, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const auto multiprocessors =
      static_cast<unsigned>(gpu_attribute(functions, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  // Even for launches of few threads, the driver allocates private memory for all threads that the GPU can run at the
  // same time.
  const auto threads = static_cast<std::uint64_t>(
      gpu_attribute(functions, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)) * multiprocessors;
  const std::uint64_t private_bytes = std::min(most_private_bytes, threads != 0 ? bytes / threads : most_private_bytes);
  gpu::gpu_description result{.name = name, .architecture = "sm_" + std::to_string(10 * major + minor),
                              .memory_bytes = bytes, .multiprocessors = multiprocessors,
                              .private_bytes = private_bytes, .local_bytes = 48 << 10};
  result.moves_pages = gpu_attribute(functions, device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) != 0;
  return result;
}

}  // namespace

std::vector<gpu::gpu_description> find_gpus() {
  std::vector<gpu::gpu_description> result;
  const driver* functions = find_driver();
  if (!functions) return result;
  int count = 0;
  gpu::check(*functions, functions->cuDeviceGetCount(&count), "counting GPUs");
  for (int i = 0; i < count; ++i) {
    gpu::device_number device = 0;
    gpu::check(*functions, functions->open_device(&device, i), "opening a GPU");
    result.push_back(describe(*functions, device));
  }
  return result;
}

}  // namespace sinter::cuda
