#pragma once
/// Avoids masked stores behind guards, that is, behind tests of the work-item's position. In nearly all vectors, all
/// lanes store, and then plain loads and stores are enough. The pass is for machines without registers for masks. On
/// some of these machines, masked stores are slow: on a Zen 3, they take a quarter of the time of `scan` in
/// benchmarks/cpu, and two thirds of the time of a reduction over the inner points of a grid.
///
/// Input: a wide function (wide_function.hpp), whose masked stores behind guards carry the metadata below. The function
///   may contain several vectors in one body, because register blocking runs before this pass: register blocking needs
///   code without branches, and this pass adds branches.
/// Output: the function without the metadata. In the block of such a store, the instructions from the first to the last
///   use of the mask have a second version without masks. If there are too many instructions, only the store has a
///   second version.

#include "llvm/IR/Function.h"

namespace sinter::passes {

inline constexpr const char* guarded_metadata = "sinter.guarded";

void split_guarded_stores(llvm::Function& wide);

} // namespace sinter::passes
