#pragma once
/// Masked stores behind guards, which compare the work-item's position: nearly all vectors of work-items store with all
/// lanes, and then plain loads and stores are enough. For machines whose masks have no registers of their own, as
/// masked stores are slow on some of them (on a Zen 3 a quarter of the time of benchmarks/cpu, scan, and two thirds of
/// that of a reduction over the inner points of a grid).
///
/// Input: a wide function (wide_function.hpp), whose masked stores behind guards carry the metadata below, or several
///   of its vectors in one body: branches would keep those from becoming one.
/// Output: the same with a second form, without masks, of the instructions in such a store's block, from the first use
///   of the mask to the last (of the store alone, if they are many); and without the metadata.

#include "llvm/IR/Function.h"

namespace sinter::passes {

inline constexpr const char* guarded_metadata = "sinter.guarded";

void split_guarded_stores(llvm::Function& wide);

} // namespace sinter::passes
