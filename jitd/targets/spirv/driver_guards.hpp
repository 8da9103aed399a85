#pragma once
/// Guards against defects of drivers (docs/opencl_defects.md).

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Behind a barrier, Intel's driver for CPUs computes cheap values again. For a negation, the driver uses another
/// work-item's value, or crashes (docs/opencl_defects.md). So the code changes the sign bit by a mask that the driver
/// can't know. If the driver knew the mask, it would turn this into a negation again.
void change_kept_signs(llvm::Function& kernel);

/// Intel's driver for CPUs makes the range smaller if a guard compares ids with a bound, and treats the bound as a
/// signed number (docs/opencl_defects.md). So bounds are limited to the largest signed number, which no id exceeds.
void limit_bounds(llvm::Function& function);

/// Intel's driver for CPUs changes the order of sums and products in loops (docs/opencl_defects.md), but not of fused
/// multiplications and additions. So the last sum or product of each iteration becomes such an operation, with a factor
/// of 1 or a summand of -0, which does not change the result.
void keep_order_in_loops(llvm::Function& function);

}  // namespace sinter::jit::spirv
