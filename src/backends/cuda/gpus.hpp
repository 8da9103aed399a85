#pragma once
/// The NVIDIA GPUs of this machine.

#include <backends/gpu/gpu_context.hpp>
#include <vector>

#include "driver.hpp"

namespace sinter::cuda {

/// Empty where there is no driver (driver.hpp). Throws sycl::exception when the driver fails.
std::vector<gpu::gpu_description> find_gpus();
/// Throws sycl::exception.
int gpu_attribute(const driver& functions, gpu::device_number device, CUdevice_attribute which);

}  // namespace sinter::cuda
