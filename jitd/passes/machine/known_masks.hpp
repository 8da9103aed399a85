#pragma once
/// Simplifies accesses with masks whose lanes are known, and avoids LLVM's faults with vectors of pointers and of short
/// integers. The four passes are independent.
///
/// split_known_scatters splits scatters of few lanes, for example of the last lane of a sub-group. Machines scatter
/// lane by lane, even lanes that are off (16 lanes in some 30 cycles on a Zen 4), so a few lanes store faster one by
/// one. Input: a wide function (wide_function.hpp) without its slots. Output: the function with folded masks, and with
/// stores in the place of these scatters.
///
/// store_known_lanes makes masked stores of one lane plain stores, and removes stores of no lane. LLVM 22 stores too
/// many bytes if the value was truncated before (docs/llvm_defects.md), so this is the last step before code is
/// selected.
/// Input: any function. Output: no masked store has a mask whose lanes are all known with at most one lane on.
///
/// align_lanes_of_pointers corrects alignments. Without instructions for masks, LLVM 22 takes the alignment of a whole
/// vector of pointers for the alignment of each pointer (docs/llvm_defects.md). This step runs just before code is
/// selected, too. Input: any function. Output: no masked access of a vector of pointers claims more than the alignment
/// of one pointer.
///
/// widen_before_conversions widens integers. Where longer SVE registers compute vectors of known length, LLVM 22
/// selects no code for some extensions of narrow integers (docs/llvm_defects.md). This step runs just before code is
/// selected, too. Input: any function for a machine with SVE. Output: LLVM can't see that values which fit a NEON
/// register come from a gather or from a longer vector, and no conversion to floats reads a vector of unsigned integers
/// of fewer than 32 bits.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void split_known_scatters(llvm::Function& wide);

bool store_known_lanes(llvm::Function& function);

bool align_lanes_of_pointers(llvm::Function& function);

bool widen_before_conversions(llvm::Function& function);

}  // namespace sinter::passes
