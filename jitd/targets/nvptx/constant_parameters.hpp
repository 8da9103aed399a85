#pragma once
/// Guards against a defect of LLVM (docs/llvm_defects.md). If a kernel keeps an address of its parameters, LLVM copies
/// the parameters to private memory in front of loads that are marked invariant. Then LLVM takes these loads for loads
/// of the memory before the copy, and their values are undefined.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Marks the parameters that a kernel never writes as constant: LLVM copies none of these, and takes their addresses.
/// Loads of other parameters are no longer marked invariant.
void mark_constant_parameters(llvm::Module& module);

}  // namespace sinter::jit::nvptx
