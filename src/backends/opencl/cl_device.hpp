#pragma once
/// Devices of OpenCL's drivers that take SPIR-V.

#include <vector>

#include <backends/backend_row.hpp>
#include <backends/device.hpp>

#include "loader.hpp"

namespace sinter::opencl {

/// Returns all devices that can be used, in the order of their platforms. The devices are never destroyed.
const std::vector<device_backend*>& opencl_devices();

/// Returns the loader, its drivers and their devices, for sinter-info.
driver_state state();

}  // namespace sinter::opencl
