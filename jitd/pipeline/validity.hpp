#pragma once
/// Checks that modules are valid for LLVM: a fault is an internal error that names the step.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Returns an error if the module is not valid.
llvm::Error verify(const llvm::Module& module);

/// Verifies the module behind the step `step` if SINTER_VERIFY asks for it. Tests set SINTER_VERIFY.
llvm::Error verify_behind(const char* step, const llvm::Module& module);

/// Verifies the module before LLVM's own passes run, in builds with assertions.
llvm::Error verify_for_llvm(const llvm::Module& module);

}  // namespace sinter::jit
