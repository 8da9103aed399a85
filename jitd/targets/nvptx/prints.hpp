#pragma once
/// printf of kernels becomes vprintf, which the driver has: it keeps the arguments in a buffer and prints when the host
/// waits for the device. A module that prints has a variable that says so (abi/gpu_launch.hpp).

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

void lower_prints(llvm::Module& module);

}  // namespace sinter::jit::nvptx
