#pragma once
/// HIP's runtime, opened at run time, and its GPUs.

#include <backends/gpu/driver.hpp>
#include <backends/gpu/gpu_context.hpp>
#include <string>
#include <vector>

#include "hip_abi.hpp"

namespace sinter::hip {

/// The table of all GPUs' drivers, and functions of HIP's own.
struct driver : gpu::driver {
#define SINTER_HIP_DECLARE(name, parameters) hipError_t(*name) parameters = nullptr;
  SINTER_HIP_FUNCTIONS(SINTER_HIP_DECLARE)
  SINTER_HIP_OPTIONAL_FUNCTIONS(SINTER_HIP_DECLARE)
#undef SINTER_HIP_DECLARE
  hipError_t (*hipDriverGetVersion)(int*) = nullptr;
  const char* (*hipGetErrorName)(hipError_t) = nullptr;
  const char* (*hipGetErrorString)(hipError_t) = nullptr;

  int version = 0;   ///< 50221153: 5.2.21153
  std::string file;  ///< its library and the library's stamp
};

/// Opens HIP's runtime on the first call. Null if there is no runtime, if it is too old, or if it has no GPU: see
/// driver_problem.
const driver* find_driver();
/// Why there is no driver, as a sentence; empty when there is one. Asked for after find_driver.
const std::string& driver_problem();
/// "5.2"
std::string version_text(int version);

/// A GPU, with facts that its description lacks.
struct hip_gpu {
  gpu::gpu_description description;
  std::string whole_name;  ///< "gfx90a:sramecc+:xnack-": code objects may depend on what is behind the colon
};
/// Empty where there is no driver. Throws sycl::exception when the driver fails.
std::vector<hip_gpu> find_gpus();
/// Throws sycl::exception.
int gpu_attribute(const driver& functions, int device, hipDeviceAttribute_t which);

}  // namespace sinter::hip
