#pragma once
/// The one table of targets that make code for devices with a driver.

#include "targets/gpu/dialect.hpp"

namespace sinter::jit {

/// The dialect that code for the device is made in; null: SPIR-V.
const gpu::dialect* dialect_of(const abi::gpu_target& device);

}  // namespace sinter::jit
