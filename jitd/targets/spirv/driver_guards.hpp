#pragma once
/// Guards against defects of drivers (docs/opencl_defects.md).

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Behind a barrier, Intel's driver for CPUs computes cheap values again, but if the value is a negation, it uses
/// another work-item's value, or crashes (docs/opencl_defects.md). So negations become an XOR of the sign bit with a
/// mask that the driver can't know: with a known mask, it would turn the XOR back into a negation.
void change_kept_signs(llvm::Function& kernel);

/// If Intel's driver for CPUs runs work-items as a vector, it mixes their private arrays, and accesses wrong bytes of
/// some arrays (docs/opencl_defects.md). So the driver gets such an array's address as a number that it can't know.
void hide_arrays(llvm::Function& kernel);

/// If a guard compares ids with a bound, Intel's driver for CPUs makes the range smaller instead, but treats the bound
/// as a signed number (docs/opencl_defects.md). So bounds are limited to the largest signed number, which no id
/// exceeds.
void limit_bounds(llvm::Function& function);

/// Intel's driver for CPUs changes the order of sums and products in loops (docs/opencl_defects.md), but not of fused
/// multiplications and additions. So the last sum or product of each iteration becomes such an operation, with a factor
/// of 1 or a summand of -0, which does not change the result.
void keep_order_in_loops(llvm::Function& function);

}  // namespace sinter::jit::spirv
