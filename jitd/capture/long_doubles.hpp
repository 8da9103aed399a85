#pragma once
/// Long doubles that headers compute with where only constants go in: libstdc++'s std::generate_canonical, and with it
/// all distributions, takes the logarithm of how many numbers an engine gives, and multiplies by that in a loop of few
/// turns. No device has such numbers.

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sinter::capture {

/// Calls of libm's functions of one constant long double are their values. On machines whose own long double it is.
struct fold_long_doubles : llvm::PassInfoMixin<fold_long_doubles> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

bool is_long_double(const llvm::Type* type);
bool computes_long_doubles(const llvm::Loop& loop);

} // namespace sinter::capture
