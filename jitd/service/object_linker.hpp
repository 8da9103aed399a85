#pragma once
/// Links an object file with the code of a kernel for the CPU into a shared object, as the cache keeps it.

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sinter::jit {

/// Makes `path`. Thread-safe.
llvm::Error link_shared_object(llvm::MemoryBufferRef object, const std::string& path);

} // namespace sinter::jit
