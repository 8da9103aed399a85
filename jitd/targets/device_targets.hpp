#pragma once
/// The one table of targets that make code for devices with a driver.

#include "targets/gpu/dialect.hpp"

namespace sinter::jit {

/// The dialect in which code for the device is made; null: SPIR-V.
const gpu::dialect* dialect_of(const abi::gpu_target& device);

}  // namespace sinter::jit
