#pragma once
/// Keeps sums of matrices in AMX's tiles (machine/tile_calls.hpp).

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Input: a kernel with calls of matrix functions. Loops over the elements of a work-item's part of a matrix are
/// unrolled.
/// Output: up to six accumulators of 16 x 16 elements become tiles, which are values of the whole sub-group. The code
/// may only fill, load and store them, and add products to them. The loads right before a product read its two factors
/// from memory. The product loads the factors again from there, as tiles. If one accumulator of a type can't be a tile,
/// no accumulator of this type becomes one. A tile can stand for the values of all work-items, because a sub-group's
/// work-items call matrix functions together, for the same memory. Only the last work-item of the sub-group stores, so
/// that all other work-items load before this store, even if work-items run one by one. Two kinds of kernels are left
/// unchanged: kernels with barriers, at which tiles would have to be saved to memory, and kernels with a load after a
/// store. In such a kernel, if work-items run one by one, the first work-items would load before the last work-item has
/// stored.
void use_matrix_tiles(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
