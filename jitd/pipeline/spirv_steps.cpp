#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>

#include "device_state.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "passes/device/matrices.hpp"
#include "passes/device/textures.hpp"
#include "passes/device/specialization_ids.hpp"
#include "passes/device/sub_groups.hpp"
#include "steps.hpp"
#include "targets/address_inference.hpp"
#include "targets/spirv/address_spaces.hpp"
#include "targets/spirv/device_calls.hpp"
#include "targets/spirv/failures.hpp"
#include "targets/spirv/matrix_units.hpp"
#include "targets/spirv/prints.hpp"
#include "targets/spirv/spirv_target.hpp"

namespace sinter::jit {
namespace {

using passes::optional_step;

/// The number of bytes that the driver takes by value.
std::uint64_t most_parameter_bytes(const spirv_state& state) {
  const std::uint32_t known = state.request.gpu.parameter_bytes;
  return known == 0 ? abi::most_gpu_parameter_bytes : known;
}

llvm::Error choose_spirv_groups(spirv_state& state) {
  const abi::image_kernel& row = state.facts.row;
  if (llvm::Error error = spirv::refuse_sub_groups(row)) return error;
  state.block = groups_of(row, state.request, /*of_range=*/{});
  const unsigned required = (row.flags & abi::kernel_sizes_for_cpu) != 0 ? 0 : row.required_sub_group_size;
  const bool asks = passes::asks_for_sub_groups(*state.kernel) || passes::has_matrices(*state.kernel);
  state.sub_group_size = required != 0 ? required : asks ? state.request.options.sub_group_size : 0;
  // Without sub-groups, any order of work-items is right, so linear groups are not needed.
  state.linear_groups = asks && state.sub_group_size > 1 && row.dimensions > 1;
  state.is_padded = state.request.gpu.folded != 0 && row.shape == abi::kernel_shape::range && !state.linear_groups;
  if (state.linear_groups) state.flags |= abi::gpu_code_linear_groups;
  return llvm::Error::success();
}

llvm::Error lower_spirv_matrices(spirv_state& state) {
  const abi::matrix_units* units = state.request.gpu.matrices;
  // Matrix units need whole sub-groups. If the size of groups is not known, the program is trusted.
  const std::uint64_t items = state.block[0] * state.block[1] * state.block[2];
  const bool is_whole = state.sub_group_size != 0 && items % state.sub_group_size == 0;
  if (units && is_whole && passes::has_matrices(*state.kernel) &&
      spirv::use_matrix_units(*state.kernel, state.sub_group_size, *units)) {
    return llvm::Error::success();
  }
  return passes::lower_matrices(*state.kernel, state.sub_group_size, /*machine=*/nullptr);
}

llvm::Error forget_spirv_textures(spirv_state& state) {
  passes::forget_textures(state.module);
  return llvm::Error::success();
}

llvm::Error make_spirv_entry(spirv_state& state) {
  if (state.request.gpu.pointers_apart != 0) state.pointers = state.facts.pointers;
  const std::uint64_t by_value = abi::spirv_parameter_bytes(state.facts.row.block_size) + sizeof(abi::gpu_geometry) +
                                 state.pointers.size() * sizeof(std::uint64_t);
  const bool in_memory = by_value > most_parameter_bytes(state);
  if (in_memory) state.flags |= abi::gpu_code_block_in_memory;
  state.parameters = spirv::make_entry(state.module, *state.kernel, state.facts, state.block,
                                       state.sub_group_size > 1 ? state.sub_group_size : 0, state.linear_groups,
                                       in_memory, state.is_padded, state.pointers);
  state.kernel = nullptr;
  return llvm::Error::success();
}

llvm::Error read_spirv_globals(spirv_state& state) {
  read_device_globals(*state.parameters.function, *state.parameters.geometry, spirv::global_space);
  return llvm::Error::success();
}

llvm::Error lower_spirv_calls(spirv_state& state) {
  spirv::lower_device_calls(state.module, state.parameters, state.block, state.facts.row.dimensions,
                            state.sub_group_size, state.scratch_bytes, state.linear_groups, state.is_padded);
  return llvm::Error::success();
}

llvm::Error link_spirv_failures(spirv_state& state) {
  if (spirv::link_failures(state.module)) state.flags |= abi::gpu_code_can_fail;
  return llvm::Error::success();
}

llvm::Error keep_spirv_prints(spirv_state& state) {
  spirv::keep_prints(state.module);
  return verify_for_llvm(state.module);
}

llvm::Error simplify_spirv_code(spirv_state& state) {
  const llvm::Function* entry = state.parameters.function;
  passes::pass_runner runner;
  runner.know_no_library(state.module.getTargetTriple());
  llvm::ModulePassManager front;
  front.addPass(
      llvm::InternalizePass([=](const llvm::GlobalValue& value) { return &value == entry || value.isDeclaration(); }));
  inline_always(state.module, [=](const llvm::Function& each) {
    return &each != entry && !each.getName().starts_with("sinter.");
  });
  front.addPass(llvm::AlwaysInlinerPass());
  front.addPass(llvm::GlobalDCEPass());
  front.addPass(
      runner.builder.buildModuleSimplificationPipeline(llvm::OptimizationLevel::O1, llvm::ThinOrFullLTOPhase::None));
  runner.run(state.module, std::move(front));
  return refuse_jumps(state.module);
}

llvm::Error lower_spirv_prints(spirv_state& state) { return spirv::lower_prints(state.module); }

/// If a driver's memory has no addresses, kernels reach memory only through pointers that are arguments of their own.
/// The function refuses kernels that read other pointers, and kernels with more pointers than the driver takes.
llvm::Error refuse_pointers(const spirv_state& state) {
  for (const llvm::Instruction& instruction : llvm::instructions(*state.parameters.function)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !load->getType()->isPointerTy()) continue;
    if (llvm::getUnderlyingObject(load->getPointerOperand()) != state.parameters.block) continue;
    return llvm::createStringError(
        "it reads a pointer that is hidden in a union or in bytes of its arguments, and the device has no unified "
        "shared memory; use accessors of buffers");
  }
  const std::uint64_t bytes = most_parameter_bytes(state);
  const std::uint64_t most =
      std::min<std::uint64_t>(abi::most_spirv_parameters - abi::first_spirv_pointer,
                              (bytes - std::min(bytes, sizeof(abi::gpu_geometry) + sizeof(void*))) / 8);
  if (state.pointers.size() <= most) return llvm::Error::success();
  return llvm::createStringError("it reaches " + std::to_string(state.pointers.size()) +
                                 " buffers and other pieces of memory, and the device's kernels can reach " +
                                 std::to_string(most) + " of them; use fewer accessors");
}

llvm::Error drop_unused_pointers(spirv_state& state) {
  if (state.request.gpu.pointers_apart == 0) return llvm::Error::success();
  spirv::drop_unused_pointers(state.parameters, state.pointers);
  return refuse_pointers(state);
}

llvm::Error refuse_spirv_functions(spirv_state& state) {
  return refuse_host_functions(state.module, [](const llvm::Function& each) {
    return each.getCallingConv() == llvm::CallingConv::SPIR_FUNC || each.getName().starts_with(abi::device_math_prefix);
  });
}

llvm::Error name_spirv_spaces(spirv_state& state) {
  mark_global_pointers(*state.parameters.function, *state.parameters.block, spirv::global_space);
  state.entry = spirv::name_address_spaces(state.module, *state.parameters.function);
  state.parameters = {};  // the parameters belonged to the entry that was replaced
  if (llvm::Error error = verify_for_llvm(state.module)) return error;
  return refuse_host_memory(state.module);
}

/// Runs before LLVM's passes, because LLVM's passes remove the casts that show the address spaces of a call's
/// arguments.
llvm::Error name_matrix_spaces(spirv_state& state) {
  spirv::name_matrix_spaces(*state.entry, /*asks=*/false);
  return llvm::Error::success();
}

llvm::Error ask_for_matrix_spaces(spirv_state& state) {
  spirv::name_matrix_spaces(*state.entry, /*asks=*/true);
  return llvm::Error::success();
}

/// Options that leave vectors to the driver.
llvm::PipelineTuningOptions without_vectors() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = options.SLPVectorization = options.LoopInterleaving = false;
  return options;
}

void run_for_spirv(spirv_state& state, llvm::FunctionPassManager&& functions) {
  passes::pass_runner runner(&state.machine, without_vectors());
  runner.know_no_library(state.module.getTargetTriple());
  llvm::ModulePassManager whole;
  whole.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  runner.run(state.module, std::move(whole));
}

llvm::Error infer_spirv_spaces(spirv_state& state) {
  llvm::FunctionPassManager functions;
  functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  functions.addPass(infer_address_spaces(spirv::generic_space));
  run_for_spirv(state, std::move(functions));
  return llvm::Error::success();
}

llvm::Error optimise_spirv_code(spirv_state& state) {
  passes::pass_runner runner(&state.machine, without_vectors());
  runner.know_no_library(state.module.getTargetTriple());
  llvm::ModulePassManager whole;
  whole.addPass(runner.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2));
  runner.run(state.module, std::move(whole));
  return llvm::Error::success();
}

llvm::Error lower_switches(spirv_state& state) {
  llvm::FunctionPassManager last;
  last.addPass(llvm::InstCombinePass());
  last.addPass(llvm::LowerSwitchPass());
  run_for_spirv(state, std::move(last));
  return llvm::Error::success();
}

llvm::Error join_constant_ids(spirv_state& state) {
  if (state.request.gpu.specialization_ids == 0) return llvm::Error::success();
  return passes::join_specialization_ids(*state.entry);
}

constexpr spirv_step spirv_list[] = {
    {"groups", "it is known how groups and sub-groups are launched", choose_spirv_groups},
    {"matrices", "matrices of sub-groups are those of the device's units, or no call asks for them",
     lower_spirv_matrices},
    {"textures", "no call asks for texture units", forget_spirv_textures},
    {"entry", "the kernel is a spir_kernel with the parameters of abi/gpu_launch.hpp", make_spirv_entry},
    {"device-globals", "addresses of device globals are read from the geometry's table", read_spirv_globals},
    {"device-calls", "of the device ABI's functions those of mathematics are left", lower_spirv_calls},
    {"failures", "the code behind failures is there", link_spirv_failures},
    {"kept-prints", "LLVM leaves printf alone; the module is valid", keep_spirv_prints},
    {"simplify", "all is in the entry, values are in registers, and no jump has an address", simplify_spirv_code},
    {"prints", "printf is OpenCL's", lower_spirv_prints},
    {"unused-pointers", "pointers that are arguments are read, and no more than drivers take", drop_unused_pointers},
    {"host-functions", "no function of the host is called", refuse_spirv_functions},
    {"named-spaces", "pointers say where they lead; the module is valid, and needs no memory of the host's",
     name_spirv_spaces},
    {"matrix-spaces", "loads and stores of matrices say which memory is meant, where it is known; elements are private",
     name_matrix_spaces},
    {"address-spaces", "few pointers are generic", infer_spirv_spaces},
    {"llvm", "optimised as for -O2, without vectors", optimise_spirv_code, optional_step::llvm},
    {"unknown-matrix-spaces", "loads and stores of matrices say which memory is meant", ask_for_matrix_spaces},
    {"address-spaces-again", "no pointer is generic whose memory can be known", infer_spirv_spaces},
    {"switches", "branches have two ways", lower_switches},
    {"constant-ids", "specialization constants of the driver's are one value each", join_constant_ids},
};

}  // namespace

llvm::ArrayRef<spirv_step> spirv_steps() { return spirv_list; }

}  // namespace sinter::jit
