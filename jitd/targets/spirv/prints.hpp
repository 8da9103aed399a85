#pragma once
/// Replaces printf in kernels by the printf of OpenCL.std. The format, and strings that it prints, become constants of
/// the module.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// Keeps LLVM's passes from turning calls of printf into puts or putchar, which devices lack.
void keep_prints(llvm::Module& module);

/// Replaces the calls of printf. Runs after inlining, which shows which arguments are constant.
llvm::Error lower_prints(llvm::Module& module);

}  // namespace sinter::jit::spirv
