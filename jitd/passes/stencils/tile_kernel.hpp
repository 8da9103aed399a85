#pragma once
/// The kernel that computes all stages of a list, tile by tile.
///
/// Input: a function `void(ptr blocks)` without a body, where `blocks` points to the members' argument blocks in order,
///   and a plan that is not refused.
/// Output: the stages' kernels are gone, and its body, for launches of range_of_tiles(plan). A group has a tile: along
/// the slowest dimension it goes row
///   by row, and for each row through the stages, each of which is as many rows behind as its readers reach ahead.
///   Rows of results lie in local memory, as many as are still read. The group meets behind each row of each stage, so
///   that work-items of a row are a loop of its own.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

llvm::Error build_tile_kernel(llvm::Function& fused, const stencil_fusion& stencils);

}  // namespace sinter::passes
