#pragma once
/// Changes loops with several entries into loops with one entry. Code with goto may jump into the middle of a loop, and
/// lanes need loops with one header.
///
/// Input: a function without switches.
/// Output: all cycles are loops with one header. If a loop had several entries, its header is a new block, from which a
/// branch leads to the entry that the code jumped to before.
///
/// LLVM's own pass loses values if a block of the loop branches to two of its entries (docs/llvm_defects.md). Therefore
/// such edges get blocks of their own first.

#include "llvm/IR/PassManager.h"

namespace sinter::passes {

struct one_entry_loops : llvm::PassInfoMixin<one_entry_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

}  // namespace sinter::passes
