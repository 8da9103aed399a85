#pragma once
/// AMD's GPUs as devices.

#include <vector>

#include <backends/backend_row.hpp>
#include <backends/device.hpp>

namespace sinter::hip {

/// The devices, one for each GPU that code can be made for, made on the first call and never destroyed. Empty where
/// there is no runtime.
const std::vector<device_backend*>& hip_devices();

/// HIP's runtime and the devices it finds, for sinter-info.
driver_state state();

}  // namespace sinter::hip
