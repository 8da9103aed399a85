#pragma once
/// Keeps sums of matrices in AMX's tiles (machine/tile_calls.hpp).

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Input: a kernel with calls of matrix functions, in which loops over parts are unrolled.
/// Output: up to six accumulators of 16 x 16 elements become tiles, which are values of the whole sub-group. The code
/// may only fill, load and store them, and add products to them. Each product loads its two factors again as tiles,
/// from the memory that the loads right before the product read. If one accumulator of a type can't be a tile, no
/// accumulator of this type becomes one. This is legal because all work-items of a sub-group call matrix functions
/// together, for the same memory. The last work-item of the sub-group stores. If work-items run one by one, all other
/// work-items have done their loads before this store. The pass leaves two kinds of kernels unchanged. In kernels with
/// barriers, tiles would have to be saved to memory at the barrier. In kernels with a load after a store, work-items
/// that run one by one would load before the last work-item has stored.
void use_matrix_tiles(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
