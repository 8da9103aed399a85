#include "code_object.hpp"

#include "llvm/IR/IRBuilder.h"
#include "targets/code_passes.hpp"
#include "targets/gpu/dialect.hpp"
#include "targets/gpu/driver_symbols.hpp"
#include "targets/linked_object.hpp"

namespace sinter::jit::amdgcn {
namespace {

/// Keeps LLVM from moving work-items' arrays into local memory that the kernel does not use itself. This would be wrong
/// for two reasons: the launch may use that memory, and the moved code would read a dispatch packet, which kernels do
/// not get. LLVM does not move arrays if a kernel uses local memory of unknown size, so the kernel is made to look like
/// such a kernel.
void keep_local_memory(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* memory = new llvm::GlobalVariable(module, llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 0), false,
                                          llvm::GlobalValue::ExternalLinkage, nullptr, "sinter_no_memory", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, gpu::shared_space);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    builder.CreateAssumption(builder.getTrue(), {llvm::OperandBundleDef("ignore", memory)});
  }
}

/// Replaces the address of local memory by its value. The value is 0, because kernels have no local variables of known
/// size. LLVM would otherwise keep the address in a register, and add it for each row.
void place_local_memory(llvm::Module& module) {
  llvm::GlobalVariable* memory = module.getNamedGlobal(gpu::shared_memory_name);
  if (!memory) return;
  for (const llvm::GlobalVariable& each : module.globals()) {
    if (each.getAddressSpace() == gpu::shared_space && &each != memory) return;
  }
  memory->replaceAllUsesWith(llvm::ConstantPointerNull::get(memory->getType()));
  memory->eraseFromParent();
}

}  // namespace

unsigned version_of(llvm::StringRef gpu) {
  // The last two digits are the minor version and the stepping, which is hexadecimal.
  unsigned major = 0, minor = 0, stepping = 0;
  if (!gpu.consume_front("gfx") || gpu.size() < 3 || gpu.take_back(1).getAsInteger(16, stepping) ||
      gpu.drop_back(1).take_back(1).getAsInteger(16, minor) || gpu.drop_back(2).getAsInteger(10, major)) {
    return 0;
  }
  return major * 1000 + minor * 100 + stepping;
}

unsigned generation_of(llvm::StringRef gpu) { return version_of(gpu) / 1000; }

llvm::Expected<std::string> make_code_object(llvm::TargetMachine& machine, llvm::Module& module) {
  module.setModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  gpu::protect_driver_symbols(module);
  place_local_memory(module);
  keep_local_memory(module);
  llvm::SmallVector<char, 0> object;
  if (!emit_code(machine, module, llvm::CodeGenFileType::ObjectFile, object)) {
    return llvm::createStringError("LLVM can't emit code objects");
  }
  return link_object(llvm::StringRef(object.data(), object.size()), {"--no-undefined"});
}

}  // namespace sinter::jit::amdgcn
