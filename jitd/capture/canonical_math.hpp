#pragma once
/// libm calls in device code become LLVM intrinsics where one exists, else "__sinter_math_<name>_f32|_f64"
/// (device_abi.hpp). Neither sets errno: SYCL's math functions don't, and user calls of libm in kernels are taken to
/// mean the same. Quotients in __sinter_rsqrt (sycl/detail/math_functions.hpp) get !fpmath of 2, as SYCL allows; calls
/// from the functions of sycl::native get 8192: any accuracy is enough.

#include "llvm/IR/Module.h"

namespace sinter::capture {

void canonicalize_math(llvm::Module& device);

} // namespace sinter::capture
