#pragma once
/// Mathematics of AMD's GPUs: functions that have no instruction come from ocml where ROCm's device libraries are
/// installed (abi/math_file.hpp), otherwise from libclc. Both keep to the errors that SYCL allows, except libclc's
/// tgamma, which errs by up to 52 units in the last place.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::amdgcn {

/// Output: no function of the device ABI's mathematics is left, and no intrinsic that the code generator does not know.
/// `wave`: work-items of a wave.
llvm::Error link_math(llvm::Module& module, llvm::StringRef gpu, unsigned wave);

}  // namespace sinter::jit::amdgcn
