#pragma once
/// printf of kernels becomes that of OpenCL.std: its format and the strings it prints are constants of the module.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// LLVM's passes don't turn such calls into puts or putchar, which devices lack.
void keep_prints(llvm::Module& module);

/// Runs after inlining, which shows which arguments are constant.
llvm::Error lower_prints(llvm::Module& module);

}  // namespace sinter::jit::spirv
