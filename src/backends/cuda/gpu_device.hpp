#pragma once
/// NVIDIA GPUs as devices.

#include <vector>

#include <backends/device.hpp>

namespace sinter::cuda {

/// One for each GPU, made on the first call and never destroyed. Empty where there is no driver.
const std::vector<device_backend*>& gpu_devices();

}  // namespace sinter::cuda
