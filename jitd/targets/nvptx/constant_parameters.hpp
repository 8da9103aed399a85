#pragma once
/// Guards against a defect of LLVM (docs/llvm_defects.md). If a kernel uses the address of its parameters, LLVM copies
/// them to private memory first. Loads from this copy that are marked as invariant may then move in front of the
/// copying, where the memory is undefined.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Marks parameters as constant if the kernel never writes to them. LLVM does not copy these parameters, but uses their
/// addresses. Loads of other parameters are no longer marked invariant.
void mark_constant_parameters(llvm::Module& module);

}  // namespace sinter::jit::nvptx
