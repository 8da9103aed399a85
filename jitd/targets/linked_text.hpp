#pragma once
/// Links functions. A target defines these functions as text of LLVM's IR.

#include <string>

#include "llvm/IR/Module.h"

namespace sinter::jit {

/// Adds `text` to the module, and makes its function `function` internal.
void link_text(llvm::Module& module, const std::string& text, llvm::StringRef function);

}  // namespace sinter::jit
