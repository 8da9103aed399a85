#pragma once
/// LLVM 22 drops the order and the scope of atomic read-modify-writes for PTX. These operations become relaxed, and
/// atomic only among the work-items of this GPU. To keep the order, the pass adds fences around them. To keep the
/// scope, it uses inline PTX.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Adds the fences. Output: every atomicrmw is monotonic.
void fence_atomics(llvm::Module& module);

/// Input: address spaces are known. Output: read-modify-writes of memory that the host and other GPUs may access are
/// atomic for the host and these GPUs as well, as the C++ source requires.
void widen_atomics(llvm::Function& function);

}  // namespace sinter::jit::nvptx
