#pragma once
/// Opens HIP's runtime at run time and finds its GPUs.

#include <backends/gpu/driver.hpp>
#include <backends/gpu/gpu_context.hpp>
#include <string>
#include <vector>

#include "hip_abi.hpp"

namespace sinter::hip {

/// The functions that drivers of all GPUs share, and functions of HIP alone.
struct driver : gpu::driver {
#define SINTER_HIP_DECLARE(name, parameters) hipError_t(*name) parameters = nullptr;
  SINTER_HIP_FUNCTIONS(SINTER_HIP_DECLARE)
  SINTER_HIP_OPTIONAL_FUNCTIONS(SINTER_HIP_DECLARE)
#undef SINTER_HIP_DECLARE
  hipError_t (*hipDriverGetVersion)(int*) = nullptr;
  const char* (*hipGetErrorName)(hipError_t) = nullptr;
  const char* (*hipGetErrorString)(hipError_t) = nullptr;

  int version = 0;   ///< version number; 50221153 means 5.2.21153
  std::string file;  ///< path and stamp of the runtime's library
};

/// Opens HIP's runtime on the first call. Returns null if there is no runtime, if it is too old, or if it finds no GPU;
/// driver_problem returns the reason.
const driver* find_driver();
/// Returns a sentence that says why there is no driver, or an empty text if there is one. Call find_driver first.
const std::string& driver_problem();
/// Returns the version's text, for example "5.2".
std::string version_text(int version);

/// A GPU, with the whole name of its architecture, which gpu_description does not have.
struct hip_gpu {
  gpu::gpu_description description;
  /// For example "gfx90a:sramecc+:xnack-". Code objects may depend on the features behind the first colon.
  std::string whole_name;
};
/// Returns the GPUs. The result is empty if there is no driver. Throws sycl::exception if the driver fails.
std::vector<hip_gpu> find_gpus();
/// Returns an attribute of a GPU, or 0 if the GPU does not have it.
int gpu_attribute(const driver& functions, int device, hipDeviceAttribute_t which);

}  // namespace sinter::hip
