#pragma once
/// Device code has definitions of library functions that headers call: functions of complex numbers (cexp, __muldc3 and
/// the like: complex_functions.cpp), and functions that the C and C++ libraries don't define in their headers (memcmp,
/// strlen, div: library_functions.cpp).

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Defines such functions if the module declares them. Calls of libm in them are left to canonicalize_math.
void define_library_functions(llvm::Module& device);

/// Prefix of their names in device code: no pass then mistakes them for the C library's functions, which LLVM knows.
constexpr llvm::StringLiteral library_prefix = "library.";

} // namespace sinter::capture
