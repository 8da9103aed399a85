#pragma once
/// The names by which kernel_id, bundles and images know a kernel.

#include <abi/launch_abi.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include <sycl/kernel_bundle.hpp>

namespace sycl::inline _V1::detail {

/// Each kernel-name type of the process has one, which is never destroyed: kernels of several translation units that
/// share a name share it, and it outlives libraries that are closed.
struct kernel_identity {
  std::string type_name;
  std::string display_name;
};
const kernel_identity* intern_kernel(const char* type_name);
/// The identities of the kernels in the program's images, each once.
std::vector<const kernel_identity*> program_kernels();

/// The kernel's descriptor in the program's images, the first if there are several; null when there is none.
const sinter::abi::kernel_descriptor* find_descriptor(const kernel_identity* id);
/// Whether the kernel reads the constant, or any (null). For a kernel without an image this is unknown, and the answer
/// is yes.
bool names_specialization_constant(const sinter::abi::kernel_descriptor& kernel, const std::uint64_t* key);

}  // namespace sycl::detail
