#pragma once
/// Folds long doubles that headers compute from constants alone, because devices have no such numbers. For example, all
/// distributions of libstdc++ call std::generate_canonical, which computes with the number of values that an engine can
/// return: it takes the logarithm of this number, and multiplies by the number in a short loop.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sinter::capture {

/// If a function of libm is called with a constant long double, replaces the call by its value. Numbers of 128 bits
/// (64-bit Arm) are folded on any machine, but numbers of 80 bits only on x86-64.
struct fold_long_doubles : llvm::PassInfoMixin<fold_long_doubles> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

bool is_long_double(const llvm::Type* type);
bool computes_long_doubles(const llvm::Loop& loop);

} // namespace sinter::capture
