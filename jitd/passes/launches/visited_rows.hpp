#pragma once
/// Handles rows of flat ranges (flat_rows.hpp) in kernels whose work-items visit elements of a range in a loop
/// (element_visits.hpp). In each iteration, the work-items of a group visit neighbouring elements. The code of a visit
/// gets a second variant. This variant runs if the elements of all lanes are in one row, and if indices of 32 bits do
/// not wrap (unwrapped_sums.hpp). Only conditions that matter for the kernel are tested.
///
/// Input: a work-item function in which calls still mark the visits. Ids are SSA values. The order of a reduction's
/// sums does not change, so results keep their bits.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// A quick test: whether the kernel has an integer division, or an id that is truncated to 32 bits.
bool may_have_visit_forms(const llvm::Function& work_item);

void visit_rows(llvm::Function& work_item);

}  // namespace sinter::passes
