#pragma once
/// Finds code of kernels for GPUs in the persistent cache, or lets the JIT and the driver make it.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>

#include "code_variant.hpp"

namespace sinter {

/// Throws sycl::exception if the kernel can't be compiled, because a GPU can't run host code: errc::build, or
/// errc::kernel_not_supported if the device lacks the kernel's matrices. Called under the kernel's variants_mutex. From
/// the set number most_folded on, the driver puts values of specialization constants into one module for all sets, if
/// it can (code_target::specialises).
std::unique_ptr<code_variant> make_gpu_code(abi::kernel_descriptor& kernel, variant_key made_for,
                                            const abi::specialization_table* constants);

/// Takes the JIT's code and lets the driver assemble it. Throws sycl::exception.
void take_gpu_code(const code_target& target, const abi::gpu_code& made, gpu_program& program);
/// Keeps bytes of a GPU's program in the cache. `stamp` identifies the LLVM that made the code.
void store_gpu_image(const std::string& key, const std::string& stamp, const std::string& image,
                     const std::string& facts);

}  // namespace sinter
