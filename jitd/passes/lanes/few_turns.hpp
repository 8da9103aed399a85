#pragma once
/// Unrolls loops that a work-item runs once or twice: for (x = local id; x < width + 2; x += width), by which groups
/// load tiles with a border. In a loop, all turns have masks. Once the loop is unrolled, all lanes run the first turn,
/// and few vectors have lanes that run the second turn.
///
/// Input: a work-item function in which ranges of ids are known; loops in simplified and LCSSA form.
/// Output: the function without such loops. Only small loops in which no work-items meet are unrolled.

#include "llvm/IR/PassManager.h"

namespace sinter::passes {

inline constexpr unsigned most_turns = 2;

struct few_turns : llvm::PassInfoMixin<few_turns> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

}  // namespace sinter::passes
