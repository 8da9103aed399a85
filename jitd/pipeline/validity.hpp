#pragma once
/// Checks that modules are valid for LLVM: a fault is an internal error that names the step.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// An error where the module is not valid.
llvm::Error verify(const llvm::Module& module);

/// Verifies behind the step `step` if SINTER_VERIFY asks for it, as tests do.
llvm::Error verify_behind(const char* step, const llvm::Module& module);

/// Verifies in front of LLVM's own passes, in builds with assertions.
llvm::Error verify_for_llvm(const llvm::Module& module);

}  // namespace sinter::jit
