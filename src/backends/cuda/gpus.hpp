#pragma once
/// Finds the NVIDIA GPUs of this machine.

#include <backends/gpu/gpu_context.hpp>
#include <vector>

#include "driver.hpp"

namespace sinter::cuda {

/// Returns the GPUs. The result is empty if there is no driver (driver.hpp). Throws sycl::exception if the driver
/// fails.
std::vector<gpu::gpu_description> find_gpus();
/// Returns an attribute of a GPU. Throws sycl::exception if the driver fails.
int gpu_attribute(const driver& functions, gpu::device_number device, CUdevice_attribute which);

}  // namespace sinter::cuda
