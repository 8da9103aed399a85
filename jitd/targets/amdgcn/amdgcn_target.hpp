#pragma once
/// AMD's GPUs as a compilation target.

#include "targets/gpu/dialect.hpp"

namespace sinter::jit::amdgcn {

/// "gfx942" and its like.
bool is_name(const char* gpu);

/// Waves have 64 work-items up to gfx9, 32 from gfx10 on. Code is a code object of version 5, as the driver loads it.
/// Kernels take a block of arguments and an abi::grid_geometry in constant memory; nothing else is handed over, not
/// even a hidden argument of HIP's.
const gpu::dialect& dialect_for(const char* gpu);

}  // namespace sinter::jit::amdgcn
