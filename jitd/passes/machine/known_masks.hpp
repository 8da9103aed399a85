#pragma once
/// Masks whose lanes are known.
///
/// split_known_scatters: scatters of few lanes, the last one of a sub-group, say. Machines scatter lane by lane, even
/// lanes that are off (16 lanes in some 30 cycles on a Zen 4), so a few lanes store faster one by one. Input: a wide
/// function (wide_function.hpp) without its slots. Output: the same with folded masks, and stores in the place of such
/// scatters.
///
/// store_known_lanes: masked stores of one lane become plain stores, and stores of no lane are removed. LLVM 22 stores
/// too much where the value was cut before (docs/llvm_defects.md), so this is the last step before code is selected.
/// Input: any function. Output: no masked store has a mask whose lanes are all known with one of them on.
///
/// align_lanes_of_pointers: without instructions for masks, LLVM 22 takes the alignment of a whole vector of pointers
/// for that of each pointer (docs/llvm_defects.md). Before code is selected, too. Input: any function. Output: no
/// masked access of such vectors says more than the alignment of its elements.
///
/// widen_before_conversions: where vectors of known length are computed by longer SVE, LLVM 22 selects no code for some
/// extensions of narrow integers (docs/llvm_defects.md). Before code is selected, too. Input: any function for such a
/// machine. Output: LLVM can't see that values which fit a register of NEON's come from a gather or from a longer
/// vector, and no conversion to floats reads a vector of unsigned integers of fewer than 32 bits.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void split_known_scatters(llvm::Function& wide);

bool store_known_lanes(llvm::Function& function);

bool align_lanes_of_pointers(llvm::Function& function);

bool widen_before_conversions(llvm::Function& function);

}  // namespace sinter::passes
