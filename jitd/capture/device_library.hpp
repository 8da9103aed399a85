#pragma once
/// Defines, for device code, library functions that headers call: functions of complex numbers (cexp, __muldc3
/// and the like: complex_functions.cpp), and functions that the C and C++ libraries don't define in their headers
/// (memcmp, strlen, div: library_functions.cpp).

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Defines those library functions that the module declares. canonicalize_math later handles calls of libm in these
/// functions.
void define_library_functions(llvm::Module& device);

/// Prefix of the functions' names in device code. The prefix keeps passes from mistaking these functions for the C
/// library's functions, whose meaning LLVM knows.
constexpr llvm::StringLiteral library_prefix = "library.";

} // namespace sinter::capture
