#pragma once
/// Devices of OpenCL's drivers that take SPIR-V.

#include <vector>

#include <backends/backend_row.hpp>
#include <backends/device.hpp>

#include "loader.hpp"

namespace sinter::opencl {

/// All usable devices, platform by platform. Never destroyed.
const std::vector<device_backend*>& opencl_devices();

/// The loader, the drivers that it finds and their devices, for sinter-info.
driver_state state();

}  // namespace sinter::opencl
