#pragma once
/// Mathematics of GPUs: functions that PTX has no instruction for come from CUDA's libdevice where a toolkit is
/// installed (environment SINTER_LIBDEVICE names another file), otherwise from libclc. Both libraries keep to the
/// errors that SYCL allows.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::nvptx {

/// Output: no function of the device ABI's mathematics is left, and no intrinsic that the code generator does not know.
llvm::Error link_math(llvm::Module& module);

}  // namespace sinter::jit::nvptx
