#pragma once
/// Loops of a few turns over the dimensions of an id or the elements of a vec, as SYCL's headers are full of: `p[i +
/// 1]` has one. LLVM unrolls them in any case; if it happens here, where a header's function is simplified before it
/// gets into others, they cost the compile service nothing. Three hundred of them in a kernel took it five seconds.

#include "llvm/IR/PassManager.h"

namespace sinter::capture {

struct unroll_short_loops : llvm::PassInfoMixin<unroll_short_loops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager);
};

} // namespace sinter::capture
