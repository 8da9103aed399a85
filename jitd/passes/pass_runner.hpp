#pragma once
/// LLVM's analysis managers with everything that passes expect to find in them.

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace sinter::passes {

class pass_runner {
public:
  /// Without a machine passes know nothing of a target.
  explicit pass_runner(llvm::TargetMachine* machine = nullptr) : builder(machine) {}

  /// Once per object. Analyses registered in `functions` before have precedence.
  void run(llvm::Module& module, llvm::ModulePassManager&& passes) {
    llvm::LoopAnalysisManager loops;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    passes.run(module, modules);
    functions.clear();
  }

  llvm::PassBuilder builder;
  llvm::FunctionAnalysisManager functions;
};

} // namespace sinter::passes
