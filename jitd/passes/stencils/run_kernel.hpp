#pragma once
/// Builds the kernel of tiles for lists whose last stage is a reduction over a range. A group computes a strip of rows
/// with whole runs of elements. It reduces a run as soon as the rows with the run's elements are computed.
///
/// Input: that of build_tile_kernel (tile_kernel.hpp).
/// Output: the kernel's body, and a function without a body that the kernel calls for all other stages (rows_parameter
///   in tile_builder.hpp). One work-item calls the function, which runs rows as vectorized loops. The function is not
///   inlined. The reduction has sub-groups, so all code that is inlined into the kernel would be vectorized across
///   work-items.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

llvm::Expected<llvm::Function*> build_run_kernel(llvm::Function& fused, const stencil_fusion& stencils);

}  // namespace sinter::passes
