#pragma once
/// The driver's compiler of PTX.

#include <backends/gpu/gpu_context.hpp>
#include <images/code_variant.hpp>
#include <string>

namespace sinter::cuda {

/// The driver's own image of PTX, which is the program's image so far. Throws sycl::exception.
std::string assemble(gpu::gpu_context& gpu, const gpu_program& made);

}  // namespace sinter::cuda
