#pragma once
/// Work-items that can't continue (a `throw`, a failed assert()) tell the host why and end. The kernel continues
/// without them, whereas a trap would end all work of the process on the GPU. The host reads abi::gpu_failure
/// (abi/gpu_launch.hpp).

#include "dialect.hpp"

namespace sinter::jit::gpu {

/// Replaces `call` (a call of __sinter_trap or __sinter_assert_fail) by the report. If a thread can't end in a
/// function, the rest of the basic block, with all calls in it, is removed.
void fail(const dialect& its, llvm::CallInst& call);

/// If the module has a failure report, links the functions that reports call.
void link_failures(const dialect& its, llvm::Module& module);

}  // namespace sinter::jit::gpu
