#pragma once
/// LLVM 22 drops the order and the scope of atomic read-modify-writes for PTX. They become relaxed, and atomic among
/// the work-items of this GPU. Fences that are added around them keep the order, and inline PTX keeps the scope.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Adds the fences. Output: every atomicrmw is monotonic.
void fence_atomics(llvm::Module& module);

/// Input: address spaces are known. Output: read-modify-writes of memory that the host and other GPUs may access are
/// atomic for the host and these GPUs as well, as the C++ source requires.
void widen_atomics(llvm::Function& function);

}  // namespace sinter::jit::nvptx
