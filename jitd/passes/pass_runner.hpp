#pragma once
/// LLVM's analysis managers, with all analyses that passes use.

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace sinter::passes {

class pass_runner {
public:
  /// If `machine` is null, passes know nothing about a target. `callbacks` are called for each pass.
  explicit pass_runner(llvm::TargetMachine* machine = nullptr, llvm::PassInstrumentationCallbacks* callbacks = nullptr)
      : builder(machine, llvm::PipelineTuningOptions(), std::nullopt, callbacks) {}
  pass_runner(llvm::TargetMachine* machine, const llvm::PipelineTuningOptions& options,
              llvm::PassInstrumentationCallbacks* callbacks = nullptr)
      : builder(machine, options, std::nullopt, callbacks) {}

  /// Call it once per object. Analyses that were registered in `functions` before have precedence.
  void run(llvm::Module& module, llvm::ModulePassManager&& passes) {
    if (!m_registered) register_all();
    passes.run(module, m_modules);
    functions.clear();
  }

  /// Runs passes over one function. This function may be called several times.
  void run(llvm::Function& function, llvm::FunctionPassManager&& passes) {
    if (!m_registered) register_all();
    passes.run(function, functions);
  }

  /// Keeps LLVM from replacing loops by calls of C library functions such as strlen. Call it before passes run, for
  /// devices without a C library. Intrinsics that fill and copy memory remain possible, because all targets have them.
  void know_no_library(const llvm::Triple& triple) {
    functions.registerPass([triple] {
      llvm::TargetLibraryInfoImpl library(triple);
      library.disableAllFunctions();
      for (llvm::LibFunc each : {llvm::LibFunc_memset, llvm::LibFunc_memcpy, llvm::LibFunc_memmove}) {
        library.setAvailable(each);
      }
      return llvm::TargetLibraryAnalysis(library);
    });
  }

  llvm::PassBuilder builder;

private:
  void register_all() {
    builder.registerModuleAnalyses(m_modules);
    builder.registerCGSCCAnalyses(m_components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(m_loops);
    builder.crossRegisterProxies(m_loops, functions, m_components, m_modules);
    m_registered = true;
  }

  bool m_registered = false;
  // The order of these members matters: until the outer managers are destroyed, they refer to the inner managers.
  llvm::LoopAnalysisManager m_loops;

public:
  llvm::FunctionAnalysisManager functions;

private:
  llvm::CGSCCAnalysisManager m_components;
  llvm::ModuleAnalysisManager m_modules;
};

} // namespace sinter::passes
