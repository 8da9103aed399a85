/// Replaces the steps for devices and their targets, if LLVM is older than the version that those steps need
/// (docs/llvm_versions.md).

#include <string>

#include "device_pipeline.hpp"

namespace sinter::jit {

llvm::Expected<device_code> lower_for_device(llvm::Module&, const kernel_facts&, const abi::jit_request& request) {
  return llvm::createStringError("Sinter was built with LLVM " LLVM_VERSION_STRING ", and makes no code for '" +
                                 std::string(request.gpu.name) + "' with it; that takes LLVM 22");
}

bool is_code_of_gpu(const abi::gpu_target&) { return false; }
std::uint64_t geometry_bytes(const abi::gpu_target&) { return 0; }

}  // namespace sinter::jit
