#pragma once
/// Links libraries of functions for devices, which are files of LLVM bitcode.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Links the parts of the file that `module` needs. `remedy` is the end of the message if there is no such file.
llvm::Error link_math_file(llvm::Module& module, const std::string& path, const std::string& remedy);

}  // namespace sinter::jit
