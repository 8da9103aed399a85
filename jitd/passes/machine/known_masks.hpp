#pragma once
/// Simplifies accesses with masks whose lanes are known, and avoids LLVM's faults with vectors of pointers and of short
/// integers. The four passes are independent.
///
/// split_known_scatters splits scatters of few lanes, for example of the last lane of a sub-group. Machines spend time
/// on each lane of a scatter, even if the lane is off (16 lanes in some 30 cycles on a Zen 4), so single stores of a
/// few lanes are faster. Input: a wide function (wide_function.hpp) whose slots have become values. Output: the
/// function with folded masks, and with single stores instead of these scatters.
///
/// store_known_lanes turns masked stores of one lane into plain stores, and removes stores of no lane. LLVM 22 stores
/// too many bytes if the value was truncated before (docs/llvm_defects.md), so this is the last step before instruction
/// selection.
/// Input: any function. Output: no masked store has a known mask with at most one lane on.
///
/// align_lanes_of_pointers corrects alignments. On machines without masked instructions, LLVM 22 mistakes the alignment
/// of a whole vector of pointers for the alignment of each pointer (docs/llvm_defects.md). This step runs just before
/// instruction selection, too. Input: any function. Output: no masked access of a vector of pointers claims more than
/// the alignment of one pointer.
///
/// widen_before_conversions widens integers. If SVE's registers are longer than vectors of known length, LLVM 22 cannot
/// select instructions for some extensions of narrow integers (docs/llvm_defects.md). This step runs just before
/// instruction selection, too. Input: any function for a machine with SVE. Output: code that does not trigger LLVM's
/// defects. If values that fit a NEON register come from a gather or from a longer vector, LLVM can't see where the
/// values come from. No conversion to floats reads a vector of unsigned integers of fewer than 32 bits.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void split_known_scatters(llvm::Function& wide);

bool store_known_lanes(llvm::Function& function);

bool align_lanes_of_pointers(llvm::Function& function);

bool widen_before_conversions(llvm::Function& function);

}  // namespace sinter::passes
