#pragma once
/// Unrolls loops of a few iterations over the dimensions of an id or the elements of a vec. SYCL's headers are full of
/// such loops: `p[i + 1]` has one. LLVM would unroll them later anyway. In the plugin, each function of the headers is
/// simplified once, before it is inlined into others. Without this pass the compile service needed five seconds for
/// three hundred such loops in a kernel.

#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct unroll_short_loops : llvm::PassInfoMixin<unroll_short_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

} // namespace sinter::capture
