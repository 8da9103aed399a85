#include "nvptx_target.hpp"

#include <abi/gpu_launch.hpp>

#include "atomic_order.hpp"
#include "device_calls.hpp"
#include "failures.hpp"
#include "kernel_entry.hpp"
#include "late_stores.hpp"
#include "loop_unrolling.hpp"
#include "math_library.hpp"
#include "meetings.hpp"
#include "prints.hpp"
#include "warp_values.hpp"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "passes/pass_runner.hpp"
#include "targets/address_inference.hpp"
#include "targets/code_passes.hpp"

namespace sinter::jit {
namespace {

/// 90 of "sm_90" and "sm_90a"; 0: no name of a GPU.
unsigned generation_of(llvm::StringRef gpu) {
  unsigned number = 0;
  return gpu.consume_front("sm_") && !gpu.consumeInteger(10, number) ? number : 0;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu, bool large_parameters) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return llvm::createStringError(error);
  // Warps whose work-items part and meet, and scopes of fences, are there since sm_70.
  const unsigned generation = generation_of(gpu);
  if (generation < 70) return llvm::createStringError("code is made for GPUs from sm_70 on, not for '" + gpu + "'");
  // Newer ones have a least version of their own.
  const char* version = generation > 90 ? "" : large_parameters ? "+ptx81" : "+ptx80";
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, gpu, version, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Aggressive));
  if (!machine || !machine->getMCSubtargetInfo()->isCPUStringValid(gpu)) {
    return llvm::createStringError("LLVM makes no code for the GPU '" + gpu + "'");
  }
  return machine;
}

/// Address spaces first: alignment and aliasing are seen in them.
llvm::Error optimise_for(llvm::TargetMachine& machine, llvm::Module& module, llvm::Function& entry,
                         const abi::local_range& block, llvm::ArrayRef<abi::image_leaf> disjoint_leaves) {
  passes::pass_runner first(&machine), second(&machine);
  first.know_no_library(module.getTargetTriple());
  second.know_no_library(module.getTargetTriple());
  llvm::ModulePassManager front;
  front.addPass(llvm::InternalizePass([&](const llvm::GlobalValue& value) {
    return &value == &entry || value.isDeclaration() || value.getName() == abi::gpu_failure_symbol ||
           value.getName() == abi::gpu_prints_symbol;
  }));
  front.addPass(llvm::GlobalDCEPass());
  front.addPass(
      first.builder.buildModuleSimplificationPipeline(llvm::OptimizationLevel::O1, llvm::ThinOrFullLTOPhase::None));
  first.run(module, std::move(front));
  mark_global_pointers(entry, *entry.getArg(0), nvptx::global_space);
  mark_disjoint_accessors(entry, *entry.getArg(0), disjoint_leaves);
  nvptx::simplify_warp_values(entry, block, generation_of(machine.getTargetCPU()));
  nvptx::unroll_loops(entry);
  llvm::ModulePassManager rest;
  // Equal constants are joined here, for nothing joins them once they are in global memory (generic-to-nvvm).
  rest.addPass(llvm::ConstantMergePass());
  if (llvm::Error error = second.builder.parsePassPipeline(rest, "generic-to-nvvm")) return error;
  rest.addPass(llvm::createModuleToFunctionPassAdaptor(infer_address_spaces(nvptx::generic_space)));
  rest.addPass(second.builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
  second.run(module, std::move(rest));
  nvptx::delay_stores(entry, second.functions.getResult<llvm::AAManager>(entry));
  for (llvm::Function& function : module) nvptx::widen_atomics(function);
  return llvm::Error::success();
}

/// Returns an error if the module is not valid.
llvm::Error verify(const llvm::Module& module) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (!llvm::verifyModule(module, &stream)) return llvm::Error::success();
  return llvm::createStringError("internal error, invalid IR: " + problem);
}

llvm::Error refuse_nvptx_sizes(const abi::image_kernel& row) {
  if ((row.flags & abi::kernel_sizes_for_cpu) != 0) return llvm::Error::success();
  if (row.required_sub_group_size != 0 && row.required_sub_group_size != nvptx::warp_size) {
    return llvm::createStringError("it requires sub-groups of " + std::to_string(row.required_sub_group_size) +
                                   " work-items, which are 32 on NVIDIA GPUs");
  }
  return llvm::Error::success();
}

llvm::Error refuse_block(const abi::local_range& block) {
  // Last dimension last, as x is.
  constexpr std::uint64_t most[3] = {64, 1024, 1024}, most_items = 1024;
  std::uint64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (block[d] > most[d] || items * std::max<std::uint64_t>(block[d], 1) > most_items) {
      return llvm::createStringError("its work-groups have " + std::to_string(block[0]) + " x " +
                                     std::to_string(block[1]) + " x " + std::to_string(block[2]) +
                                     " work-items; NVIDIA GPUs have room for 64 x 1024 x 1024, 1024 in all");
    }
    items *= std::max<std::uint64_t>(block[d], 1);
  }
  return llvm::Error::success();
}

llvm::Expected<device_code> lower(llvm::Module& module, const kernel_facts& facts, const abi::jit_request& request,
                                  llvm::Function*& entry) {
  llvm::Expected<single_kernel> kernel = make_single_kernel(module, facts, request, /*with_traps=*/false);
  if (!kernel) return kernel.takeError();
  const std::uint64_t scratch_bytes = kernel->scratch_bytes_per_item;
  const abi::local_range block = groups_of(facts.row, request, nvptx::block_of_range(facts.row.dimensions));
  if (llvm::Error error = refuse_block(block)) return error;
  const nvptx::kernel_entry made = nvptx::make_entry(module, *kernel->function, facts, request, block);
  read_device_globals(*made.function, *made.function->getArg(1), nvptx::global_space);
  nvptx::lower_device_calls(module, made.where, scratch_bytes);
  nvptx::link_failures(module);
  const bool groups_meet = nvptx::link_meetings(module);
  nvptx::lower_prints(module);
  if (llvm::Error error = nvptx::link_math(module)) return error;
  nvptx::fence_atomics(module);
  entry = made.function;
  return device_code{{},
                     entry->getName().str(),
                     block,
                     scratch_bytes,
                     kernel->variable_bytes,
                     groups_meet ? abi::gpu_code_groups_meet : 0u};
}

llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module) {
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream output(text);
  code_passes passes;
  if (machine.addPassesToEmitFile(passes, output, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    return llvm::createStringError("LLVM can't emit PTX");
  }
  passes.run(module);
  return std::string(text.data(), text.size());
}

}  // namespace

llvm::Expected<device_code> lower_to_ptx(llvm::Module& module, const kernel_facts& kernel,
                                         const abi::jit_request& request) {
  if (llvm::Error error = refuse_nvptx_sizes(kernel.row)) return error;
  auto machine = make_machine(request.gpu.name, kernel.row.block_size + sizeof(abi::gpu_geometry) >
                                                   abi::most_gpu_parameter_bytes);
  if (!machine) return machine.takeError();
  // With it, ptxas takes the code for such to be debugged.
  llvm::StripDebugInfo(module);
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());

  llvm::Function* entry = nullptr;
  llvm::Expected<device_code> code = lower(module, kernel, request, entry);
  if (!code) return code.takeError();
  if (llvm::Error error = verify(module)) return error;
  llvm::ArrayRef<abi::image_leaf> disjoint_leaves;
  if (request.gpu.disjoint != 0) disjoint_leaves = kernel.leaves;
  if (llvm::Error error = optimise_for(**machine, module, *entry, code->block, disjoint_leaves)) return error;
  if (llvm::Error error = verify(module)) return error;
  if (llvm::Error error = refuse_host_memory(module)) return error;
  if (llvm::Error error = refuse_jumps(module)) return error;
  if (llvm::Error error =
          refuse_host_functions(module, [](const llvm::Function& each) { return each.getName() == "vprintf"; }))
    return error;
  llvm::Expected<std::string> text = emit(**machine, module);
  if (!text) return text.takeError();
  code->text = std::move(*text);
  return code;
}

}  // namespace sinter::jit
