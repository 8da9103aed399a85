#pragma once
/// Work-items that can't go on (a `throw`, a failed assert()) tell the host why and end; the kernel goes on without
/// them. The host reads abi::gpu_failure (abi/gpu_launch.hpp).

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace sinter::jit::spirv {

/// `call` is __sinter_trap or __sinter_assert_fail, and ends its function from now on. `place`: of the launch's
/// gpu_failure. It has to be in the function of `place`.
void fail(llvm::CallInst& call, llvm::Argument* place);

/// Links the code behind the reports. Returns false if there are none.
bool link_failures(llvm::Module& module);

}  // namespace sinter::jit::spirv
