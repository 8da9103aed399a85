#include "backend_table.hpp"

#include <algorithm>
#include <backends/cuda/gpu_device.hpp>
#include <backends/device.hpp>
#include <backends/hip/hip_device.hpp>
#include <backends/level_zero/ze_device.hpp>
#include <backends/opencl/cl_device.hpp>
#include <base/race_notes.hpp>

namespace sinter {
namespace {

const std::vector<device_backend*>& cpu_devices() {
  static const auto* devices = new (lasting) std::vector<device_backend*>{&cpu_backend()};
  return *devices;
}

std::vector<backend_row>& rows() {
  static auto* table = new (lasting) std::vector<backend_row>{
      {.name = own_backend, .other_names = "native_cpu host", .devices = cpu_devices},
      {.name = "cuda", .other_names = "ext_oneapi_cuda", .devices = cuda::gpu_devices, .state = cuda::state},
      {.name = "hip", .other_names = "ext_oneapi_hip", .devices = hip::hip_devices, .state = hip::state},
      // This row comes before OpenCL's row, because both back ends offer Intel's GPUs, and the back end in the earlier
      // row gets these GPUs.
      {.name = "level_zero",
       .other_names = "ext_oneapi_level_zero",
       .devices = level_zero::ze_devices,
       .is_slow = true,
       .state = level_zero::state,
       .leave_out = level_zero::leave_loader_out},
      {.name = "opencl",
       .other_names = "",
       .devices = opencl::opencl_devices,
       .is_slow = true,
       .state = opencl::state,
       .leave_out = opencl::leave_loader_out},
  };
  return *table;
}

}  // namespace

const std::vector<backend_row>& backend_table() { return rows(); }

void add_backend(const backend_row& added) {
  std::vector<backend_row>& table = rows();
  const auto place = std::find_if(table.begin(), table.end(), [&](const backend_row& each) {
    return each.is_slow && !added.is_slow;
  });
  table.insert(place, added);
}

}  // namespace sinter
