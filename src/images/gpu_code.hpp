#pragma once
/// Code of kernels for GPUs: from the persistent cache, or by the JIT and the driver.

#include <abi/launch_abi.hpp>
#include <memory>

#include "code_variant.hpp"

namespace sinter {

/// Throws sycl::exception with errc::build where the kernel can't be compiled: there is no other way to run it there.
std::unique_ptr<code_variant> make_gpu_code(const abi::kernel_descriptor& kernel, variant_key made_for,
                                            const abi::specialization_table* constants);

}  // namespace sinter
