#pragma once
/// GPUs that a test driver simulates. Tests without a GPU can't run code for AMD's or NVIDIA's GPUs. Kernels for a
/// simulated GPU go through the same steps, but become x86-64 code, which the test driver runs. The kernels take
/// parameters like those for AMD's GPUs. For ids and barriers, they call the driver (src/abi/simulated_gpu.hpp).

#include "targets/gpu/dialect.hpp"

namespace sinter::jit::simulated {

/// Whether the string begins with "simulated-wave" (src/abi/simulated_gpu.hpp).
bool is_name(const char* gpu);
const gpu::dialect& dialect_for(const char* gpu);

}  // namespace sinter::jit::simulated
