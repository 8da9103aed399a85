#pragma once
/// LLVM 22 drops the order and the scope of atomic read-modify-writes for PTX: they become relaxed ones, atomic among
/// the work-items of this GPU. Fences around them keep the order; the scope is said by instructions of our own.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Output: atomicrmw is monotonic everywhere.
void fence_atomics(llvm::Module& module);

/// Input: address spaces are known. Output: read-modify-writes of memory that the host and other GPUs may reach are
/// atomic for them as well, as the C++ that they come from says.
void widen_atomics(llvm::Function& function);

}  // namespace sinter::jit::nvptx
