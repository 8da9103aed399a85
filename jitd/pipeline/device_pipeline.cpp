#include "device_pipeline.hpp"

#include <abi/gpu_launch.hpp>

#include "device_state.hpp"
#include "llvm/IR/DebugInfo.h"
#include "steps.hpp"
#include "targets/gpu/accessor_places.hpp"
#include "targets/gpu/private_memory.hpp"
#include "targets/device_targets.hpp"
#include "targets/llvm_options.hpp"
#include "targets/spirv/spirv_target.hpp"

namespace sinter::jit {
namespace {

/// Removes facts about the host. Also removes debug information, because drivers would compile code with debug
/// information for debugging.
void forget_host(llvm::Module& module) {
  llvm::StripDebugInfo(module);
  forget_processor(module);
}

device_code describe(const device_state& state, std::string text) {
  return {std::move(text), state.entry->getName().str(), state.block, state.scratch_bytes, state.variable_bytes,
          state.flags};
}

llvm::Expected<device_code> lower_for_gpu(const gpu::dialect& dialect, llvm::Module& module,
                                          const kernel_facts& kernel, const abi::jit_request& request) {
  auto machine = dialect.make_machine(request.gpu.name, kernel.row.block_size + sizeof(abi::gpu_geometry));
  if (!machine) return machine.takeError();
  forget_host(module);
  gpu::set_generic_target(module, **machine);
  gpu_state state(module, kernel, request, **machine, dialect);
  state.inlines_failures = !dialect.has_functions();
  state.assembly = dialect.assembly();
  state.reads_places = gpu::keeps_places(dialect, kernel.leaves);
  if (llvm::Error error = run_steps<front_state>(front_steps(), state)) return std::move(error);
  if (llvm::Error error = run_steps(gpu_steps(), state)) return std::move(error);
  llvm::Expected<std::string> text = dialect.emit(**machine, module);
  if (!text) return text.takeError();
  device_code code = describe(state, std::move(*text));
  if (state.smaller_blocks) code.block[0] = code.block[1] = 0;
  return code;
}

llvm::Expected<device_code> lower_to_spirv(llvm::Module& module, const kernel_facts& kernel,
                                           const abi::jit_request& request) {
  const options_use options;
  auto machine = spirv::make_machine(request.gpu.name);
  if (!machine) return machine.takeError();
  forget_host(module);
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  spirv_state state(module, kernel, request, **machine);
  state.inlines_failures = true;
  if (llvm::Error error = run_steps<front_state>(front_steps(), state)) return std::move(error);
  if (llvm::Error error = run_steps(spirv_steps(), state)) return std::move(error);
  llvm::Expected<std::string> text = spirv::emit(**machine, module);
  if (!text) return text.takeError();
  // If a kernel is launched with a range and no work-group size, the driver chooses the work-groups.
  if (kernel.row.shape != abi::kernel_shape::nd_range) state.block = {1, 1, 1};
  device_code code = describe(state, std::move(*text));
  code.pointers = std::move(state.pointers);
  return code;
}

}  // namespace

llvm::Expected<device_code> lower_for_device(llvm::Module& module, const kernel_facts& kernel,
                                             const abi::jit_request& request) {
  const gpu::dialect* dialect = dialect_of(request.gpu);
  return dialect ? lower_for_gpu(*dialect, module, kernel, request) : lower_to_spirv(module, kernel, request);
}

bool is_code_of_gpu(const abi::gpu_target& device) { return dialect_of(device) != nullptr; }

std::uint64_t geometry_bytes(const abi::gpu_target& device) {
  const gpu::dialect* dialect = dialect_of(device);
  return dialect ? dialect->how_launched().geometry_bytes : sizeof(abi::gpu_geometry);
}

}  // namespace sinter::jit
