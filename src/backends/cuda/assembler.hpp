#pragma once
/// Compiles PTX with the driver's compiler.

#include <backends/gpu/gpu_context.hpp>
#include <images/code_variant.hpp>
#include <string>

namespace sinter::cuda {

/// Compiles the program's image, which is PTX, into the driver's binary format (cubin). Throws sycl::exception if it
/// fails.
std::string assemble(gpu::gpu_context& gpu, const gpu_program& made);

}  // namespace sinter::cuda
