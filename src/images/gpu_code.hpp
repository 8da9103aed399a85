#pragma once
/// Code of kernels for GPUs: from the persistent cache, or by the JIT and the driver.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>

#include "code_variant.hpp"

namespace sinter {

/// Throws sycl::exception where the kernel can't be compiled, for there is no other way to run it there: with
/// errc::build, or errc::kernel_not_supported where the device has no such matrices.
/// Under the kernel's variants_mutex. After most_folded sets of values of specialization constants, the values are put
/// into one module for all by the driver, if it can (code_target::specialises).
std::unique_ptr<code_variant> make_gpu_code(abi::kernel_descriptor& kernel, variant_key made_for,
                                            const abi::specialization_table* constants);

/// Takes the JIT's code and lets the driver assemble it. Throws sycl::exception.
void take_gpu_code(const code_target& target, const abi::gpu_code& made, gpu_program& program);
/// Keeps bytes of a GPU's program in the cache. `stamp`: of the LLVM that made it.
void store_gpu_image(const std::string& key, const std::string& stamp, const std::string& image,
                     const std::string& facts);

}  // namespace sinter
