#pragma once
/// Turns the object file with a kernel's code for the CPU into a shared object, which the cache keeps.

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sinter::jit {

/// Writes the shared object to `path`. Thread-safe.
llvm::Error link_shared_object(llvm::MemoryBufferRef object, const std::string& path);

} // namespace sinter::jit
