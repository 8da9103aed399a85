#pragma once
/// Builds the kernel of tiles for lists whose last stage is a reduction over a range. The reduction divides the
/// elements of its range into runs (element_runs). A group computes a strip of rows, which contains whole runs. The
/// group reduces a run as soon as it has computed the rows that contain the run's elements.
///
/// Input: that of build_tile_kernel (tile_kernel.hpp).
/// Output: the kernel's body, and the declaration of a function. The kernel calls this function for all other stages
///   (rows_parameter in tile_builder.hpp). One work-item calls the function, which runs rows as vectorized loops. The
///   function is not inlined. The reduction has sub-groups, so all code that is inlined into the kernel would be
///   vectorized across work-items.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

llvm::Expected<llvm::Function*> build_run_kernel(llvm::Function& fused, const stencil_fusion& stencils);

}  // namespace sinter::passes
