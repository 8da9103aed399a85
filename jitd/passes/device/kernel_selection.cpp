#include "kernel_selection.hpp"

#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "passes/pass_runner.hpp"

namespace sinter::passes {

llvm::Function* select_kernel(llvm::Module& module, llvm::StringRef symbol) {
  llvm::Function* kernel = module.getFunction(symbol);
  if (!kernel || kernel->isDeclaration()) return nullptr;
  for (llvm::GlobalValue& value : module.global_values()) {
    if (&value == kernel || value.isDeclaration()) continue;
    value.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  llvm::ModulePassManager tidy;
  tidy.addPass(llvm::GlobalDCEPass());
  pass_runner().run(module, std::move(tidy));
  return kernel;
}

} // namespace sinter::passes
