#include "device_targets.hpp"

#include "amdgcn/amdgcn_target.hpp"
#include "nvptx/nvptx_target.hpp"
#include "simulated/simulated_target.hpp"
#include "spirv/spirv_target.hpp"

namespace sinter::jit {

const gpu::dialect* dialect_of(const abi::gpu_target& device) {
  if (is_spirv(device)) return nullptr;
  if (simulated::is_name(device.name)) return &simulated::dialect_for(device.name);
  return amdgcn::is_name(device.name) ? &amdgcn::dialect_for(device.name) : &nvptx::ptx_dialect();
}

}  // namespace sinter::jit
