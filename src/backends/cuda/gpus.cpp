#include "gpus.hpp"

#include "driver.hpp"

namespace sinter::cuda {
namespace {

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
  return {name, "sm_" + std::to_string(10 * major + minor), bytes,
          static_cast<unsigned>(attribute(functions, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT))};
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
