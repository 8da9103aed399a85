#pragma once
/// Unrolls loops of a few iterations over the dimensions of an id or the elements of a vec. SYCL's headers are full of
/// such loops: `p[i + 1]` has one. LLVM would unroll them later anyway. In the plugin this is cheaper, because each
/// function of the headers is simplified only once, before it is inlined into others: a kernel with three hundred such
/// loops took the compile service five seconds.

#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct unroll_short_loops : llvm::PassInfoMixin<unroll_short_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

} // namespace sinter::capture
