#pragma once
/// The table of all targets that make code for devices with a driver.

#include "targets/gpu/dialect.hpp"

namespace sinter::jit {

/// The dialect in which code for the device is made, or null if the code is SPIR-V.
const gpu::dialect* dialect_of(const abi::gpu_target& device);

}  // namespace sinter::jit
