#include "device_targets.hpp"

#include "nvptx/nvptx_target.hpp"
#include "spirv/spirv_target.hpp"

namespace sinter::jit {

llvm::Expected<device_code> lower_for_device(llvm::Module& module, const kernel_facts& kernel,
                                             const abi::jit_request& request) {
  return is_spirv(request.gpu) ? lower_to_spirv(module, kernel, request) : lower_to_ptx(module, kernel, request);
}

}  // namespace sinter::jit
