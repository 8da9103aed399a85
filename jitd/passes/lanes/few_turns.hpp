#pragma once
/// Unrolls loops that a work-item runs once or twice: for (x = local id; x < width + 2; x += width), by which groups
/// load tiles with a border. As a loop, all of its turns have masks. Unrolled, the first turn is one of all lanes, and
/// few vectors have lanes that take the second.
///
/// Input: a work-item function in which ranges of ids are known; loops in simplified and LCSSA form.
/// Output: the same without such loops. Only small ones that let no work-items meet.

#include "llvm/IR/PassManager.h"

namespace sinter::passes {

inline constexpr unsigned most_turns = 2;

struct few_turns : llvm::PassInfoMixin<few_turns> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

}  // namespace sinter::passes
