#pragma once
/// Links an object file into a shared object, in this process, with lld.

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Returns the shared object's bytes. lld gets `arguments` after the object's name. The function is thread-safe: lld
/// itself is not thread-safe, so calls wait for each other.
llvm::Expected<std::string> link_object(llvm::StringRef object, llvm::ArrayRef<std::string> arguments);

}  // namespace sinter::jit
