#pragma once
/// Unrolls loops that have one or two iterations (turns) in each work-item. Groups use such loops to load tiles that
/// have a border: for (x = local id; x < width + 2; x += width). Inside a loop, every iteration needs masks. In the
/// unrolled code, all lanes run the first iteration, and only few vectors have lanes that run the second iteration.
///
/// Input: a work-item function in which ranges of ids are known, and whose loops are in simplified and LCSSA form.
/// Output: the function without such loops. Only small loops without barriers and exchanges between work-items are
///   unrolled.

#include "llvm/IR/PassManager.h"

namespace sinter::passes {

inline constexpr unsigned most_turns = 2;

struct few_turns : llvm::PassInfoMixin<few_turns> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

}  // namespace sinter::passes
