/// A device that two kinds of drivers offer is listed once, unless the user selects drivers by an environment variable.
///
/// selection_test once|twice: the argument says how often the device has to be listed

#include <cstdio>
#include <cstring>

#include <sycl/sycl.hpp>

int main(int count, char** arguments) {
  if (count != 2) return 1;
  int level_zero = 0, opencl = 0, own = 0;
  for (const sycl::device& each : sycl::device::get_devices()) {
    level_zero += each.get_backend() == sycl::backend::ext_oneapi_level_zero;
    opencl += each.get_backend() == sycl::backend::opencl;
    own += each.get_backend() == sycl::backend::sinter_cpu;
  }
  const int wanted = std::strcmp(arguments[1], "once") == 0 ? 0 : 1;
  std::printf("Level Zero %d, OpenCL %d, own %d\n", level_zero, opencl, own);
  const bool selects_gpu = sycl::device(sycl::gpu_selector_v).get_backend() == sycl::backend::ext_oneapi_level_zero;
  return level_zero == 1 && opencl == wanted && own == 1 && selects_gpu ? 0 : 1;
}
