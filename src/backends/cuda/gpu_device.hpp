#pragma once
/// NVIDIA GPUs as devices.

#include <vector>

#include <backends/backend_row.hpp>
#include <backends/device.hpp>

namespace sinter::cuda {

/// The devices, one for each GPU, made on the first call and never destroyed. Empty where there is no driver.
const std::vector<device_backend*>& gpu_devices();

/// NVIDIA's driver and the devices it finds, for sinter-info.
driver_state state();

}  // namespace sinter::cuda
