#pragma once
/// Guards against defects of drivers (docs/opencl_defects.md).

#include "llvm/IR/Function.h"

namespace sinter::jit::spirv {

/// Behind a barrier, Intel's driver for CPUs computes cheap values again. If that is a negation, it takes another
/// work-item's value, or crashes (docs/opencl_defects.md). So the sign bit is changed by a mask that the driver can't
/// know; with a known mask it would make a negation of that.
void change_kept_signs(llvm::Function& kernel);

/// Intel's driver for CPUs makes smaller ranges of guards that compare ids with bounds, and takes a bound for a signed
/// number (docs/opencl_defects.md). No id is larger than the largest signed number, so that is the largest bound.
void limit_bounds(llvm::Function& function);

}  // namespace sinter::jit::spirv
