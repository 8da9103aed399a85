#pragma once
/// Replaces memcmp of a few bytes, whose number is known, by loads and comparisons without a branch, which the
/// vectorizer handles well: structures and arrays are compared so. Runs behind the inliner, which shows the number and
/// whether only equality matters.

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct expand_short_compares : llvm::PassInfoMixin<expand_short_compares> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

/// From here on memcmp may be inlined like other functions.
void allow_inlining(llvm::Module& device);

} // namespace sinter::capture
