#pragma once
/// Calls of libm in device code become calls of an LLVM intrinsic if there is one, else of
/// "__sinter_math_<name>_f32|_f64" (device_abi.hpp). These functions do not set errno. SYCL's math functions do not set
/// it either, and a user's call of libm in a kernel is treated as the SYCL function. Quotients in __sinter_rsqrt
/// (sycl/detail/math_functions.hpp) get !fpmath of 2, as SYCL allows; calls from the functions of sycl::native get an
/// !fpmath of 8192, because any accuracy is enough for them.

#include "llvm/IR/Module.h"

namespace sinter::capture {

void canonicalize_math(llvm::Module& device);

} // namespace sinter::capture
