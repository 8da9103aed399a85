#pragma once
/// The driver's compiler of PTX.

#include <backends/gpu/gpu_context.hpp>
#include <string>

namespace sinter::cuda {

/// The driver's own image of PTX. Throws sycl::exception.
std::string assemble(gpu::gpu_context& gpu, const std::string& text);

}  // namespace sinter::cuda
