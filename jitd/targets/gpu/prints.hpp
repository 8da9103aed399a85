#pragma once
/// Implements printf for drivers that have none. Work-items write their texts to a ring (abi::gpu_prints), and the host
/// formats them.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::gpu {

/// Formats have to be constant, and so do the strings that formats print, because the host reads formats and strings
/// from the module's variable (abi::gpu_prints_symbol). A call returns the number of its arguments, or -1 if the ring
/// had no place for its text.
llvm::Error lower_prints(llvm::Module& module);

}  // namespace sinter::jit::gpu
