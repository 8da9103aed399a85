#include "nvptx_target.hpp"

#include <abi/gpu_launch.hpp>

#include "device_calls.hpp"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "targets/code_passes.hpp"

namespace sinter::jit::nvptx {

unsigned generation_of(llvm::StringRef gpu) {
  unsigned number = 0;
  return gpu.consume_front("sm_") && !gpu.consumeInteger(10, number) ? number : 0;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu,
                                                                  std::uint64_t parameter_bytes) {
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
  const char* version = generation > 90 ? "" : parameter_bytes > abi::most_gpu_parameter_bytes ? "+ptx81" : "+ptx80";
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, gpu, version, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Aggressive));
  if (!machine || !machine->getMCSubtargetInfo()->isCPUStringValid(gpu)) {
    return llvm::createStringError("LLVM makes no code for the GPU '" + gpu + "'");
  }
  return machine;
}

llvm::Error refuse_sub_groups(const abi::image_kernel& row) {
  if ((row.flags & abi::kernel_sizes_for_cpu) != 0) return llvm::Error::success();
  if (row.required_sub_group_size != 0 && row.required_sub_group_size != warp_size) {
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

}  // namespace sinter::jit::nvptx
