#pragma once
/// Links an object file into a shared object, in this process, with lld.

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sinter::jit {

/// Makes `path`. Thread-safe: lld itself is not, so calls wait for each other.
llvm::Error link_shared_object(llvm::MemoryBufferRef object, const std::string& path);

} // namespace sinter::jit
