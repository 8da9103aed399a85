#pragma once
/// The compilation target for AMD's GPUs.

#include "targets/gpu/dialect.hpp"

namespace sinter::jit::amdgcn {

/// Whether the string is a name such as "gfx942".
bool is_name(const char* gpu);

/// Waves have 64 work-items up to gfx9, and 32 from gfx10 on. The driver loads code objects of version 5.
/// Kernels take a block of arguments and an abi::grid_geometry in constant memory. Kernels take nothing else, not even
/// HIP's hidden arguments.
const gpu::dialect& dialect_for(const char* gpu);

}  // namespace sinter::jit::amdgcn
