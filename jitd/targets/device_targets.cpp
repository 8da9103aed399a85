#include "device_targets.hpp"

#include "nvptx/nvptx_target.hpp"
#include "spirv/spirv_target.hpp"

namespace sinter::jit {

const gpu::dialect* dialect_of(const abi::gpu_target& device) {
  return is_spirv(device) ? nullptr : &nvptx::ptx_dialect();
}

}  // namespace sinter::jit
