#include "spirv_target.hpp"

#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>

#include "address_spaces.hpp"
#include "device_calls.hpp"
#include "failures.hpp"
#include "kernel_entry.hpp"
#include "legalisation.hpp"
#include "module_writer.hpp"
#include "prints.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "passes/device/specialization_ids.hpp"
#include "passes/device/sub_groups.hpp"
#include "passes/pass_runner.hpp"
#include "targets/address_inference.hpp"

namespace sinter::jit {
namespace {

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(llvm::StringRef name) {
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
  const llvm::StringRef version = name == abi::spirv_target_name ? abi::spirv_version : "";
  const llvm::Triple triple((name + version + "-unknown-unknown").str());
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return llvm::createStringError(error);
  // Else LLVM 22 narrows what loops count, which drivers do better, and loses the trunc in trunc(shl) then.
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  /*CM=*/std::nullopt, llvm::CodeGenOptLevel::None));
  if (!machine) return llvm::createStringError("LLVM makes no SPIR-V");
  return machine;
}

/// Vectors are the driver's business.
llvm::PipelineTuningOptions without_vectors() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = options.SLPVectorization = options.LoopInterleaving = false;
  return options;
}

void simplify(llvm::Module& module, const llvm::Function& entry) {
  passes::pass_runner runner;
  runner.know_no_library(module.getTargetTriple());
  llvm::ModulePassManager front;
  front.addPass(
      llvm::InternalizePass([&](const llvm::GlobalValue& value) { return &value == &entry || value.isDeclaration(); }));
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || &function == &entry || function.getName().starts_with("sinter.")) continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  front.addPass(llvm::AlwaysInlinerPass());
  front.addPass(llvm::GlobalDCEPass());
  front.addPass(
      runner.builder.buildModuleSimplificationPipeline(llvm::OptimizationLevel::O1, llvm::ThinOrFullLTOPhase::None));
  runner.run(module, std::move(front));
}

void optimise_for_spirv(llvm::TargetMachine& machine, llvm::Module& module) {
  passes::pass_runner runner(&machine, without_vectors());
  runner.know_no_library(module.getTargetTriple());
  llvm::ModulePassManager rest;
  const auto find_spaces = [&] {
    llvm::FunctionPassManager functions;
    functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    functions.addPass(infer_address_spaces(spirv::generic_space));
    rest.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  };
  find_spaces();
  rest.addPass(runner.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2));
  find_spaces();
  llvm::FunctionPassManager last;
  last.addPass(llvm::InstCombinePass());
  last.addPass(llvm::LowerSwitchPass());
  rest.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
  runner.run(module, std::move(rest));
}

llvm::Error refuse_spirv_sizes(const abi::image_kernel& row) {
  if ((row.flags & abi::kernel_sizes_for_cpu) != 0) return llvm::Error::success();
  const unsigned size = row.required_sub_group_size;
  if (size != 0 && (size > 64 || (size & (size - 1)) != 0)) {
    return llvm::createStringError("it requires sub-groups of " + std::to_string(size) +
                                   " work-items, and devices have powers of two up to 64");
  }
  return llvm::Error::success();
}

/// Where memory has no addresses: pointers that are no arguments, and more arguments than drivers take.
llvm::Error refuse_pointers(const spirv::kernel_entry& entry, std::uint64_t count, std::uint64_t most_bytes) {
  for (const llvm::Instruction& instruction : llvm::instructions(*entry.function)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !load->getType()->isPointerTy()) continue;
    if (llvm::getUnderlyingObject(load->getPointerOperand()) != entry.block) continue;
    return llvm::createStringError(
        "it reads a pointer that is hidden in a union or in bytes of its arguments, and the device has no unified "
        "shared "
        "memory; use accessors of buffers");
  }
  const std::uint64_t most =
      std::min<std::uint64_t>(abi::most_spirv_parameters - abi::first_spirv_pointer,
                              (most_bytes - std::min(most_bytes, sizeof(abi::gpu_geometry) + sizeof(void*))) / 8);
  if (count <= most) return llvm::Error::success();
  return llvm::createStringError("it reaches " + std::to_string(count) +
                                 " buffers and other pieces of memory, and the "
                                 "device's kernels can reach " +
                                 std::to_string(most) + " of them; use fewer accessors");
}

llvm::Expected<device_code> lower_with_entry(llvm::Module& module, const kernel_facts& facts,
                                             const abi::jit_request& request, llvm::Function*& entry) {
  llvm::Expected<single_kernel> kernel = make_single_kernel(module, facts, request, /*with_traps=*/true);
  if (!kernel) return kernel.takeError();
  const abi::local_range group = groups_of(facts.row, request, /*of_range=*/{});
  const unsigned required = (facts.row.flags & abi::kernel_sizes_for_cpu) != 0 ? 0 : facts.row.required_sub_group_size;
  const bool asks = passes::asks_for_sub_groups(*kernel->function);
  const unsigned size = required != 0 ? required : asks ? request.options.sub_group_size : 0;
  // Drivers without sub-groups know no size, and any order of work-items is right.
  const bool has_sub_groups = size > 1;
  const bool linear = asks && has_sub_groups && facts.row.dimensions > 1;
  std::vector<std::uint32_t> pointers;
  if (request.gpu.pointers_apart != 0) pointers = facts.pointers;
  const std::uint64_t by_value = abi::spirv_parameter_bytes(facts.row.block_size) + sizeof(abi::gpu_geometry) +
                                 pointers.size() * sizeof(std::uint64_t);
  const std::uint64_t most =
      request.gpu.parameter_bytes == 0 ? abi::most_gpu_parameter_bytes : request.gpu.parameter_bytes;
  const bool in_memory = by_value > most;
  spirv::kernel_entry made = spirv::make_entry(module, *kernel->function, facts, group, has_sub_groups ? size : 0,
                                               linear, in_memory, pointers);
  read_device_globals(*made.function, *made.geometry, spirv::global_space);
  spirv::lower_device_calls(module, made, group, facts.row.dimensions, size, kernel->scratch_bytes_per_item, linear);
  const bool can_fail = spirv::link_failures(module);
  spirv::keep_prints(module);
  simplify(module, *made.function);
  if (llvm::Error error = refuse_jumps(module)) return error;
  if (llvm::Error error = spirv::lower_prints(module)) return error;
  if (request.gpu.pointers_apart != 0) {
    spirv::drop_unused_pointers(made, pointers);
    if (llvm::Error error = refuse_pointers(made, pointers.size(), most)) return error;
  }
  const auto is_known = [](const llvm::Function& each) {
    return each.getCallingConv() == llvm::CallingConv::SPIR_FUNC || each.getName().starts_with(abi::device_math_prefix);
  };
  if (llvm::Error error = refuse_host_functions(module, is_known)) return error;
  mark_global_pointers(*made.function, *made.block, spirv::global_space);
  entry = spirv::name_address_spaces(module, *made.function);
  const bool has_groups = facts.row.shape == abi::kernel_shape::nd_range;
  const std::uint32_t flags = (linear ? abi::gpu_code_linear_groups : 0u) | (can_fail ? abi::gpu_code_can_fail : 0u) |
                              (in_memory ? abi::gpu_code_block_in_memory : 0u);
  return device_code{{},
                     entry->getName().str(),
                     has_groups ? group : abi::local_range{1, 1, 1},
                     kernel->scratch_bytes_per_item,
                     kernel->variable_bytes,
                     flags,
                     std::move(pointers)};
}

/// The module as SPIR-V, by LLVM's own target.
llvm::Expected<std::string> write(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::Error refused = spirv::legalise(module);
  const auto is_builtin = [](const llvm::Function& each) {
    return each.getCallingConv() == llvm::CallingConv::SPIR_FUNC;
  };
  if (llvm::Error error = refuse_host_functions(module, is_builtin)) {
    llvm::consumeError(std::move(refused));
    return error;
  }
  if (refused) return refused;
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) return llvm::createStringError("internal error, invalid IR: " + problem);
  return spirv::write_module(module, machine);
}

}  // namespace

bool is_spirv(const abi::gpu_target& target) {
  return llvm::StringRef(target.name).starts_with(abi::spirv_target_name);
}

llvm::Expected<device_code> lower_to_spirv(llvm::Module& module, const kernel_facts& kernel,
                                           const abi::jit_request& request) {
  if (llvm::Error error = refuse_spirv_sizes(kernel.row)) return error;
  auto machine = make_machine(request.gpu.name);
  if (!machine) return machine.takeError();
  llvm::StripDebugInfo(module);
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }

  llvm::Function* entry = nullptr;
  llvm::Expected<device_code> code = lower_with_entry(module, kernel, request, entry);
  if (!code) return code.takeError();
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) return llvm::createStringError("internal error, invalid IR: " + problem);
  if (llvm::Error error = refuse_host_memory(module)) return error;
  optimise_for_spirv(**machine, module);
  if (request.gpu.specialization_ids != 0) {
    if (llvm::Error error = passes::join_specialization_ids(*entry)) return error;
  }
  llvm::Expected<std::string> text = write(module, **machine);
  if (!text) return text.takeError();
  code->text = std::move(*text);
  return code;
}

}  // namespace sinter::jit
