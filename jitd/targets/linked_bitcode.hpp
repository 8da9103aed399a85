#pragma once
/// Links libraries of functions for devices, which are files of LLVM bitcode.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Links the parts of the file that `module` needs. If there is no such file, the error message ends with `remedy`.
llvm::Error link_math_file(llvm::Module& module, const std::string& path, const std::string& remedy);

}  // namespace sinter::jit
