#pragma once
/// Replaces memcmp of a few bytes by loads and comparisons without a branch, if the number of bytes is known.
/// Comparisons of structures and arrays call memcmp, and the vectorizer handles loads better than calls. Runs after the
/// inliner. Before inlining, it is unknown how many bytes are compared, and whether the caller needs the order or only
/// equality.

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct expand_short_compares : llvm::PassInfoMixin<expand_short_compares> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

/// Lets memcmp be inlined like other functions from here on.
void allow_inlining(llvm::Module& device);

} // namespace sinter::capture
