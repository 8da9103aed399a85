#pragma once
/// Unrolls loops of a few iterations over the dimensions of an id or the elements of a vec. SYCL's headers are full of
/// such loops: `p[i + 1]` has one. LLVM would unroll them later anyway. The plugin does this more cheaply than the
/// compile service, because it simplifies each function of the headers only once, before the function is inlined into
/// others. The compile service needed five seconds for a kernel with three hundred such loops.

#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct unroll_short_loops : llvm::PassInfoMixin<unroll_short_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

} // namespace sinter::capture
