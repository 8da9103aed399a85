#pragma once
/// What code of headers calls of libraries is defined in device code, for all devices: complex numbers' functions
/// (cexp, __muldc3 and the like: complex_functions.cpp), and what the C and C++ libraries have out of line (memcmp,
/// strlen, div: library_functions.cpp).

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Defines those that the module declares. What they call of libm is left to canonicalize_math.
void define_library_functions(llvm::Module& device);

/// Their names in device code: no pass takes one for what LLVM knows of the C library's.
constexpr llvm::StringLiteral library_prefix = "library.";

} // namespace sinter::capture
