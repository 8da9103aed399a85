#pragma once
/// Guards against a defect of LLVM (docs/llvm_defects.md). If a kernel uses the address of its parameters, LLVM copies
/// the parameters to private memory first. Some loads from this copy are marked as invariant. LLVM may then move these
/// loads in front of the code that makes the copy, where the copy is undefined.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Marks parameters as constant if the kernel never writes to them. LLVM does not copy these parameters, but uses their
/// addresses. Loads of other parameters are no longer marked invariant.
void mark_constant_parameters(llvm::Module& module);

}  // namespace sinter::jit::nvptx
