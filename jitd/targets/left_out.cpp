/// Instead of nvptx and spirv, where LLVM is older than what they are written for (docs/llvm_versions.md).

#include <abi/gpu_launch.hpp>

#include "nvptx/nvptx_target.hpp"
#include "spirv/spirv_target.hpp"

namespace sinter::jit {
namespace {

llvm::Error no_target(const char* code) {
  return llvm::createStringError(std::string("Sinter was built with LLVM " LLVM_VERSION_STRING
                                             ", and makes no ") + code + " with it; that takes LLVM 22");
}

}  // namespace

bool is_spirv(const abi::gpu_target& target) {
  return llvm::StringRef(target.name).starts_with(abi::spirv_target_name);
}

llvm::Expected<device_code> lower_to_spirv(llvm::Module&, const kernel_facts&, const abi::jit_request&) {
  return no_target("SPIR-V");
}

llvm::Expected<device_code> lower_to_ptx(llvm::Module&, const kernel_facts&, const abi::jit_request&) {
  return no_target("PTX");
}

}  // namespace sinter::jit
