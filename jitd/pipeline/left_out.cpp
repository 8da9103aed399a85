/// Replaces the steps for devices and their targets, if LLVM is older than the version they are written for
/// (docs/llvm_versions.md).

#include <abi/gpu_launch.hpp>

#include "device_pipeline.hpp"

namespace sinter::jit {

llvm::Expected<device_code> lower_for_device(llvm::Module&, const kernel_facts&, const abi::jit_request& request) {
  const bool is_spirv = llvm::StringRef(request.gpu.name).starts_with(abi::spirv_target_name);
  return llvm::createStringError(std::string("Sinter was built with LLVM " LLVM_VERSION_STRING ", and makes no ") +
                                 (is_spirv ? "SPIR-V" : "PTX") + " with it; that takes LLVM 22");
}

}  // namespace sinter::jit
