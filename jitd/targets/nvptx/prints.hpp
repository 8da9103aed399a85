#pragma once
/// Replaces printf in kernels by the driver's vprintf, which keeps the arguments in a buffer and prints when the host
/// waits for the device. A module that prints has a variable that tells this to the host (abi/gpu_launch.hpp).

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

void lower_prints(llvm::Module& module);

}  // namespace sinter::jit::nvptx
