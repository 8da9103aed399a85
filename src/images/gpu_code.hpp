#pragma once
/// Finds the code of a kernel for a GPU in the persistent cache, or lets the JIT and the driver make it.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>

#include "code_variant.hpp"

namespace sinter {

/// Throws errc::build if the kernel can't be compiled (a GPU can't run host code instead), and
/// errc::kernel_not_supported if the device lacks the matrices that the kernel uses. The caller holds the kernel's
/// variants_mutex. If code for most_folded sets of specialization constants exists, and if the driver can set values in
/// a module (code_target::specialises), all further sets share one module.
std::unique_ptr<code_variant> make_gpu_code(abi::kernel_descriptor& kernel, variant_key made_for,
                                            const abi::specialization_table* constants);

/// Takes over the JIT's code and lets the driver convert it. Throws sycl::exception.
void take_gpu_code(const code_target& target, const abi::gpu_code& made, gpu_program& program);
/// Stores the image of a program for a GPU in the cache. `stamp` identifies the LLVM that made the code.
void store_gpu_image(const std::string& key, const std::string& stamp, const std::string& image,
                     const std::string& facts);

}  // namespace sinter
