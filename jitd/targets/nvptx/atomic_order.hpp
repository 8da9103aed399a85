#pragma once
/// LLVM 22 forgets the order of atomic read-modify-writes for PTX (they become relaxed ones): fences around them keep
/// it.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Output: atomicrmw is monotonic everywhere.
void fence_atomics(llvm::Module& module);

}  // namespace sinter::jit::nvptx
