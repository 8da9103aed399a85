#pragma once
/// Devices of Level Zero's drivers that take SPIR-V.

#include <vector>

#include <backends/backend_row.hpp>
#include <backends/device.hpp>

#include "loader.hpp"

namespace sinter::level_zero {

/// All that can be used, driver by driver. Never destroyed.
const std::vector<device_backend*>& ze_devices();

/// The loader, the drivers that it finds and their devices, for sinter-info.
driver_state state();

}  // namespace sinter::level_zero
