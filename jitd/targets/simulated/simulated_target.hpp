#pragma once
/// GPUs that a test driver simulates. Code for AMD's or NVIDIA's GPUs runs only on such GPUs. Therefore a test driver
/// names a simulated GPU, whose kernels go through the same steps but become x86-64 code. The kernels take parameters
/// like those for AMD's GPUs. For ids and barriers, they call the driver (src/abi/simulated_gpu.hpp).

#include "targets/gpu/dialect.hpp"

namespace sinter::jit::simulated {

/// Whether the string begins with "simulated-wave" (src/abi/simulated_gpu.hpp).
bool is_name(const char* gpu);
const gpu::dialect& dialect_for(const char* gpu);

}  // namespace sinter::jit::simulated
