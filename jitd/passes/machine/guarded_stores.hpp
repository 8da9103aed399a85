#pragma once
/// Avoids masked stores behind guards, which compare the work-item's position. Nearly all vectors of work-items store
/// with all lanes, and then plain loads and stores are enough. The pass is for machines whose masks have no registers
/// of their own: masked stores are slow on some of them (on a Zen 3 a quarter of the time of benchmarks/cpu, scan, and
/// two thirds of that of a reduction over the inner points of a grid).
///
/// Input: a wide function (wide_function.hpp), whose masked stores behind guards carry the metadata below. It may
///   contain several vectors in one body. (An earlier pass can join these only while there are no branches.)
/// Output: the function without the metadata. In the block of such a store, the instructions from the first use
///   of the mask to the last have a second form without masks. If they are too many, only the store has one.

#include "llvm/IR/Function.h"

namespace sinter::passes {

inline constexpr const char* guarded_metadata = "sinter.guarded";

void split_guarded_stores(llvm::Function& wide);

} // namespace sinter::passes
