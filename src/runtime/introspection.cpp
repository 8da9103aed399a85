#include "introspection.hpp"

#include <abi/launch_abi.hpp>
#include <backends/cuda/driver.hpp>
#include <backends/cuda/gpus.hpp>
#include <backends/opencl/cl_device.hpp>
#include <backends/opencl/platforms.hpp>
#include <images/cache.hpp>
#include <images/cache_folder.hpp>
#include <images/jit_library.hpp>
#include <images/registry.hpp>

namespace sinter {

namespace {

void look_for_gpus(introspection& result) {
  const cuda::driver* driver = cuda::find_driver();
  if (!driver) {
    result.cuda_driver = cuda::driver_problem();
    return;
  }
  result.cuda_driver =
      "CUDA " + std::to_string(driver->version / 1000) + "." + std::to_string(driver->version % 1000 / 10);
  for (const cuda::gpu& each : cuda::find_gpus()) {
    result.gpus.push_back(each.name + ", " + each.architecture + ", " + std::to_string(each.multiprocessors) +
                          " multiprocessors, " + std::to_string(each.memory_bytes >> 30) + " GiB");
  }
}

void look_for_opencl(introspection& result) {
  if (!opencl::find_loader()) {
    result.opencl_loader = opencl::loader_problem();
    return;
  }
  const bool any = !opencl::find_platforms().empty();
  result.opencl_loader_version = opencl::loader_version();
  result.opencl_loader = any ? "by the ICD loader" : "a loader, and no drivers";
  if (!result.opencl_loader_version.empty()) result.opencl_loader += " (" + result.opencl_loader_version + ")";
  for (const opencl::found_platform& platform : opencl::find_platforms()) {
    const std::string where = platform.name + " (" + platform.version + ")";
    if (platform.devices.empty()) result.opencl_devices.push_back(where + ": no devices");
    for (const opencl::found_device& device : platform.devices) {
      result.opencl_devices.push_back(where + ": " + device.name + ", driver " + opencl::driver_version(device) +
                                      (device.refused.empty() ? std::string(": ") + text_of(device.memory)
                                                              : ": not used, because " + device.refused));
    }
  }
}

}  // namespace

introspection introspect() {
  introspection result;
  result.version = SINTER_VERSION;
  result.contract = abi::contract_version;
  const jit_facts jit = query_jit();
  result.jit_path = jit.path;
  result.llvm_version = jit.llvm_version;
  result.llvm_path = jit.llvm_path;
  result.cpu_name = jit.cpu_name;
  result.jit_error = jit.error;
  const kernel_cache& cache = kernel_cache::instance();
  result.cache_disabled = cache.disabled_because();
  result.cache_directory = cache.enabled() ? cache.directory() : environment().cache_directory;
  result.cache_limit_bytes = std::uint64_t{environment().cache_mebibytes} << 20;
  if (cache.enabled()) {
    const cache_contents contents = cache_contents_of(cache.directory());
    result.cache_entries = contents.kernels;
    result.cache_bytes = contents.bytes;
  }
  look_for_gpus(result);
  look_for_opencl(result);
  const registry_counts counts = count_images();
  result.images = counts.images;
  result.image_kernels = counts.kernels;
  result.images_refused = counts.refused;
  return result;
}

void try_opencl() {
  introspection ignored;
  look_for_opencl(ignored);
  opencl::opencl_devices();
}

void leave_opencl_out(const std::string& why) { opencl::leave_loader_out(why); }

std::span<const environment_variable> introspect_environment() noexcept { return environment_table(); }

} // namespace sinter
