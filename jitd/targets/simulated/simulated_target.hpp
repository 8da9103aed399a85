#pragma once
/// GPUs that a driver of tests simulates. No kernel of AMD's or NVIDIA's runs without their hardware, so such a driver
/// names one of these as its GPU, and gets kernels that pass the same steps and are x86-64 code in the end. They take
/// parameters as AMD's do. For ids and barriers, they call the driver (src/abi/simulated_gpu.hpp).

#include "targets/gpu/dialect.hpp"

namespace sinter::jit::simulated {

/// "simulated-wave32" and "simulated-wave64".
bool is_name(const char* gpu);
const gpu::dialect& dialect_for(const char* gpu);

}  // namespace sinter::jit::simulated
