#pragma once
/// Sums of matrices as AMX's tiles (machine/tile_calls.hpp).

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Input: a kernel with calls that ask for matrices, in which loops over parts are unrolled.
/// Output: up to six accumulators of 16 x 16 that are only filled, loaded, multiplied to and stored are values of the
///   whole sub-group, and products read their sides as tiles from memory, from where these were loaded right before.
///   All other matrices are as before; if one accumulator of a type is no tile, none of that type is.
/// Legal because the work-items of a sub-group ask together, for the same places. The last one stores: where work-items
///   run one by one, all others have read by then.
/// A kernel keeps its matrices as they were if work-items meet in it, for tiles would go to memory there, or if a store
/// comes in front of a load, for where work-items run one by one, only the last one has stored.
void use_matrix_tiles(llvm::Function& kernel, const llvm::TargetMachine& machine);

}  // namespace sinter::passes
