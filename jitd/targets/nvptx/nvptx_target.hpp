#pragma once
/// The compilation target for NVIDIA's GPUs.

#include "targets/gpu/dialect.hpp"

namespace sinter::jit::nvptx {

inline constexpr unsigned warp_size = 32;

/// The dialect of PTX: special registers, warps, libdevice and vprintf.
const gpu::dialect& ptx_dialect();

}  // namespace sinter::jit::nvptx
