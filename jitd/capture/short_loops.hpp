#pragma once
/// Unrolls loops of a few iterations over the dimensions of an id or the elements of a vec. SYCL's headers are full of
/// them: `p[i + 1]` has one. LLVM unrolls them anyway. Here, a header's function is simplified before it is inlined
/// into others, so the loops cost the compile service nothing. Three hundred of them in a kernel took it five seconds.

#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct unroll_short_loops : llvm::PassInfoMixin<unroll_short_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

} // namespace sinter::capture
