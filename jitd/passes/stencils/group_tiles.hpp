#pragma once
/// Builds the kernel of tiles for GPUs. A stage's part of a tile is distributed over the work-items of a group. A
/// barrier follows each pass.
///
/// Input and output are those of build_tile_kernel (tile_kernel.hpp), for plans with `in_groups`.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

llvm::Error build_group_tiles(llvm::Function& fused, const stencil_fusion& stencils);

}  // namespace sinter::passes
