#pragma once
/// What std::complex calls of libm and of the compiler's run-time library (cexp, __muldc3 and the like) is defined in
/// device code: complex_functions.cpp has it for all devices.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Defines those that the module declares. What they call of libm is left to canonicalize_math.
void define_complex_functions(llvm::Module& device);

} // namespace sinter::capture
