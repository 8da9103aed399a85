#pragma once
/// The identity of a kernel for kernel_id, bundles and images.

#include <abi/launch_abi.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include <sycl/kernel_bundle.hpp>

namespace sycl::inline _V1::detail {

/// Each kernel-name type of the process has one identity, which kernels of equal name in several translation units
/// share. Identities are never destroyed, so they outlive libraries that are closed.
struct kernel_identity {
  std::string type_name;
  std::string display_name;
};
const kernel_identity* intern_kernel(const char* type_name);
/// Returns the identities of the kernels in the program's images, each once.
std::vector<const kernel_identity*> program_kernels();

/// Returns the kernel's first descriptor in the program's images, or null if there is none.
const sinter::abi::kernel_descriptor* find_descriptor(const kernel_identity* id);
/// Returns whether the kernel may read the constant, or any constant at all if `key` is null. The result is true for a
/// kernel without an image, about which nothing is known.
bool names_specialization_constant(const sinter::abi::kernel_descriptor& kernel, const std::uint64_t* key);

}  // namespace sycl::detail
