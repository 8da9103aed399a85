#pragma once
/// The driver's compiler of PTX.

#include <backends/gpu/gpu_context.hpp>
#include <images/code_variant.hpp>
#include <string>

namespace sinter::cuda {

/// Compiles the program's image, which is PTX so far, into the driver's own image. Throws sycl::exception.
std::string assemble(gpu::gpu_context& gpu, const gpu_program& made);

}  // namespace sinter::cuda
