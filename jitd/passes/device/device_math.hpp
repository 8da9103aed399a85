#pragma once
/// Device math calls (abi/device_abi.hpp) become libm's functions. They stay free of errno and of side effects.

#include "llvm/IR/Module.h"

namespace sinter::passes {

void lower_math_to_libm(llvm::Module& module);

} // namespace sinter::passes
