#pragma once
/// Links an object file into a shared object, in this process, with lld.

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// The shared object's bytes. `arguments` are lld's, behind the object's name. Thread-safe: lld itself is not, so calls
/// wait for each other.
llvm::Expected<std::string> link_object(llvm::StringRef object, llvm::ArrayRef<std::string> arguments);

}  // namespace sinter::jit
