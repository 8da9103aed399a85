#pragma once
/// Builds the kernel that computes all stages of a list, tile by tile.
///
/// Input: a function `void(ptr blocks)` without a body, where `blocks` points to the members' argument blocks in order,
///   and a plan that is not refused.
/// Output: the function's body, for launches of range_of_tiles(plan); the stages' kernels are removed. A group computes
///   a tile row by row along the slowest dimension: in each step, it computes one row of every stage. If a stage reads
///   rows that are n rows ahead of its own row, the stage runs at least n rows behind the stages whose results it
///   reads. Local memory holds those rows of results that stages still have to read. A barrier follows each row of each
///   stage, so that the work-items of a row become a loop of their own.

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

llvm::Error build_tile_kernel(llvm::Function& fused, const stencil_fusion& stencils);

}  // namespace sinter::passes
