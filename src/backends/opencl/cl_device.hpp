#pragma once
/// Devices of OpenCL's drivers that take SPIR-V.

#include <vector>

#include <backends/device.hpp>

namespace sinter::opencl {

/// All that can be used, platform by platform. Never destroyed.
const std::vector<device_backend*>& opencl_devices();

}  // namespace sinter::opencl
