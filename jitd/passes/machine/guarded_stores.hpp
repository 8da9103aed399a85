#pragma once
/// Masked stores behind a guard, a comparison of the work-item's position: nearly all vectors of work-items store with
/// all lanes, and then a plain store does. For machines whose masks have no registers of their own, as masked stores
/// are slow on some of them (benchmarks/cpu, scan: a quarter of the time on a Zen 3).
///
/// Input: a wide function (wide_function.hpp), whose masked stores behind guards carry the metadata below, or several
///   of its vectors in one body: branches would keep those from becoming one.
/// Output: the same with a branch between both kinds of stores, and without the metadata.

#include "llvm/IR/Function.h"

namespace sinter::passes {

inline constexpr const char* guarded_metadata = "sinter.guarded";

void split_guarded_stores(llvm::Function& wide);

} // namespace sinter::passes
