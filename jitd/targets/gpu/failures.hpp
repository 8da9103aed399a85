#pragma once
/// Work-items that can't go on (a `throw`, a failed assert()) tell the host why and end; the kernel goes on without
/// them. A trap would end all that the process does on the GPU. The host reads abi::gpu_failure (abi/gpu_launch.hpp).

#include "dialect.hpp"

namespace sinter::jit::gpu {

/// `call` is __sinter_trap or __sinter_assert_fail; the report takes its place. Where a thread can't end in a function,
/// the rest of the block is gone, with all calls in it.
void fail(const dialect& its, llvm::CallInst& call);

/// Links the code behind the reports, if there is one.
void link_failures(const dialect& its, llvm::Module& module);

}  // namespace sinter::jit::gpu
