#pragma once
/// LLVM's pipelines clean up behind each of their parts, whether that has changed anything or not.

#include "llvm/IR/PassInstrumentation.h"

namespace sinter::jit {

/// Passes are left out where they have run in vain already, and where they take long and never find anything.
void leave_out_repeated(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace sinter::jit
