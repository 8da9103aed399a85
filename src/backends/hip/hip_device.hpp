#pragma once
/// AMD's GPUs as devices.

#include <vector>

#include <backends/backend_row.hpp>
#include <backends/device.hpp>

namespace sinter::hip {

/// Returns a device for each GPU for which code can be made. The first call makes the devices, which are never
/// destroyed. The list is empty if there is no runtime.
const std::vector<device_backend*>& hip_devices();

/// Returns HIP's runtime and its devices, for sinter-info.
driver_state state();

}  // namespace sinter::hip
