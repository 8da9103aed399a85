#pragma once
/// Work-items that can't continue (a `throw`, a failed assert()) tell the host why and end. The kernel's other
/// work-items continue. The host reads abi::gpu_failure (abi/gpu_launch.hpp).

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

/// Replaces `call`, a call of __sinter_trap or __sinter_assert_fail, by a report and a return. `place` is the argument
/// that points to the launch's gpu_failure. `call` has to be in the function of `place`.
void fail(llvm::CallInst& call, llvm::Argument* place);

/// If the module has a failure report, links the functions that reports call. Returns false if the module has no
/// failure report.
bool link_failures(llvm::Module& module);

}  // namespace sinter::jit::spirv
