#pragma once
/// Links the mathematics of AMD's or NVIDIA's GPUs into code for simulated GPUs, so that tests can run this
/// mathematics.

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::simulated {

enum class vendor { none, amd, nvidia };

/// Output: no instruction of a GPU is left. Approximate instructions become exact computations. Conversions of floats
/// to integers return the nearest integer of the type, and 0 for a NaN, as on GPUs.
llvm::Error link_vendor_math(llvm::Module& module, vendor whose, unsigned wave);

}  // namespace sinter::jit::simulated
