#pragma once
/// NVIDIA GPUs as devices.

#include <vector>

#include <backends/backend_row.hpp>
#include <backends/device.hpp>

namespace sinter::cuda {

/// Returns a device for each GPU. The first call makes the devices, which are never destroyed. The list is empty if
/// there is no driver.
const std::vector<device_backend*>& gpu_devices();

/// Returns NVIDIA's driver and its devices, for sinter-info.
driver_state state();

}  // namespace sinter::cuda
