#pragma once
/// Links mathematical functions for AMD's GPUs. Functions that have no instruction come from ocml if ROCm's device
/// libraries are installed (abi/math_file.hpp), otherwise from libclc. Errors of both libraries that exceed SYCL's
/// limits are corrected (targets/math_corrections.hpp).

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::amdgcn {

/// Output: no call of the device ABI's mathematics is left, and no intrinsic that the code generator does not know.
/// `wave` is the number of work-items of a wave.
llvm::Error link_math(llvm::Module& module, llvm::StringRef gpu, unsigned wave);

}  // namespace sinter::jit::amdgcn
