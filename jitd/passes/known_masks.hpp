#pragma once
/// Scatters of few lanes that are known: the last lane of a sub-group, say. Machines scatter lane by lane, whether they
/// are on or off (16 lanes in some 30 cycles on a Zen 4); few lanes store alone.
///
/// Input: a wide function (wide_function.hpp) without its slots.
/// Output: the same with folded masks, and stores in the place of such scatters.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void split_known_scatters(llvm::Function& wide);

}  // namespace sinter::passes
