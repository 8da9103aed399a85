#pragma once
/// Links functions that targets have as text of LLVM's.

#include <string>

#include "llvm/IR/Module.h"

namespace sinter::jit {

/// `text` becomes part of the module, and `function` of it internal.
void link_text(llvm::Module& module, const std::string& text, llvm::StringRef function);

}  // namespace sinter::jit
