#pragma once
/// Libraries of functions for devices, as files of LLVM's.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Links the parts of the file that `module` needs. `remedy` is the end of the message if there is no such file.
llvm::Error link_math_file(llvm::Module& module, const std::string& path, const std::string& remedy);

}  // namespace sinter::jit
