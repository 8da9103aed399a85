#include "kernel_selection.hpp"

#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace sinter::passes {

llvm::Function* select_kernel(llvm::Module& module, llvm::StringRef symbol) {
  llvm::Function* kernel = module.getFunction(symbol);
  if (!kernel || kernel->isDeclaration()) return nullptr;
  for (llvm::GlobalValue& value : module.global_values()) {
    if (&value == kernel || value.isDeclaration()) continue;
    value.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  llvm::FunctionAnalysisManager functions;
  llvm::LoopAnalysisManager loops;
  llvm::CGSCCAnalysisManager components;
  builder.registerModuleAnalyses(modules);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.registerCGSCCAnalyses(components);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::GlobalDCEPass().run(module, modules);
  return kernel;
}

} // namespace sinter::passes
