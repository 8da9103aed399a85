#pragma once
/// The kernel of tiles whose last stage is a reduction over their range: a group has a strip of rows with whole runs of
/// elements, and reduces one run after the other, as soon as the rows with its elements are there.
///
/// Input: as for build_tile_kernel (tile_kernel.hpp).
/// Output: the body, and the function that it calls for the stages in front (rows_parameter in tile_builder.hpp), still
///   without a body. One work-item calls it, for it goes through rows in loops of vectors. It stays a function, because
///   the sub-groups of a reduction turn all other code into code of lanes.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

llvm::Expected<llvm::Function*> build_run_kernel(llvm::Function& fused, const stencil_fusion& stencils);

}  // namespace sinter::passes
