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
namespace spirv {

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
  // At other levels, LLVM 22 would lose the trunc in trunc(shl). It would also narrow loop counters, which drivers do
  // better.
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  /*CM=*/std::nullopt, llvm::CodeGenOptLevel::None));
  if (!machine) return llvm::createStringError("LLVM makes no SPIR-V");
  return machine;
}

llvm::Error refuse_sub_groups(const abi::image_kernel& row) {
  if ((row.flags & abi::kernel_sizes_for_cpu) != 0) return llvm::Error::success();
  const unsigned size = row.required_sub_group_size;
  if (size != 0 && (size > 64 || (size & (size - 1)) != 0)) {
    return llvm::createStringError("it requires sub-groups of " + std::to_string(size) +
                                   " work-items, and devices have powers of two up to 64");
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module) {
  llvm::Error refused = legalise(module);
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
  return write_module(module, machine);
}

}  // namespace spirv

bool is_spirv(const abi::gpu_target& target) {
  return llvm::StringRef(target.name).starts_with(abi::spirv_target_name);
}

}  // namespace sinter::jit
