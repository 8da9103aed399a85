#pragma once
/// Links mathematics for NVIDIA's GPUs. Functions for which PTX has no instruction come from CUDA's libdevice if a
/// toolkit is installed (the environment variable SINTER_LIBDEVICE names another file), otherwise from libclc. The
/// errors of libclc that exceed SYCL's limits are corrected (targets/math_corrections.hpp).

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::nvptx {

/// Output: no call of the device ABI's mathematics is left, and no intrinsic that the code generator does not know.
llvm::Error link_math(llvm::Module& module);

}  // namespace sinter::jit::nvptx
