#pragma once
/// Replaces calls of libm in device code: by calls of an LLVM intrinsic if there is one, otherwise by calls of
/// "__sinter_math_<name>_f32|_f64" (device_abi.hpp). The new callees do not set errno. SYCL's math functions don't set
/// errno, either, and a user's call of libm in a kernel is treated like a call of the SYCL function. SYCL allows rsqrt
/// an error of 2 ulp, so quotients in __sinter_rsqrt (sycl/detail/math_functions.hpp) get !fpmath of 2. Calls from the
/// functions of sycl::native get !fpmath of 8192, which means that any accuracy is enough.

#include "llvm/IR/Module.h"

namespace sinter::capture {

void canonicalize_math(llvm::Module& device);

} // namespace sinter::capture
