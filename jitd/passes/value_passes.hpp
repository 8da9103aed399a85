#pragma once
/// These passes turn memory into SSA values once all addresses are known. Passes of several folders write code that
/// keeps values in memory. In each of these folders, the passes of this header run last. The code is in a header alone,
/// because the plugin does not link the JIT's passes.

#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace sinter::passes {

inline void add_value_passes(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
}

/// Runs the passes immediately, inside a pass that has changed `function`.
inline void find_values(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  manager.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager values;
  add_value_passes(values);
  values.run(function, manager);
}

}  // namespace sinter::passes
