#pragma once
/// memcmp of few bytes, as many as are known, becomes loads and comparisons without a branch, which vectors of lanes
/// take well: structures and arrays are compared so. Behind the inliner, which shows how many they are and whether only
/// equality is asked for.

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct expand_short_compares : llvm::PassInfoMixin<expand_short_compares> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

/// Behind it memcmp is a function as all others; until then it is not inlined.
void allow_inlining(llvm::Module& device);

} // namespace sinter::capture
