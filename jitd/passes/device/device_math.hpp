#pragma once
/// Turns device math calls (abi/device_abi.hpp) into calls of libm's functions, which are marked as free of errno and
/// side effects.

#include "llvm/IR/Module.h"

namespace sinter::passes {

void lower_math_to_libm(llvm::Module& module);

} // namespace sinter::passes
