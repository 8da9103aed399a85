#pragma once
/// Handles rows of flat ranges (flat_rows.hpp) in kernels whose work-items visit the elements of a range one after the
/// other, side by side with the other work-items of their group (element_visits.hpp). A visit gets a second form. It is
/// for elements that are in one row, or for indices of 32 bits that do not wrap (unwrapped_sums.hpp), or for both.
///
/// Input: a work-item function whose visits are still marked. Ids are values, not memory. The sums of a reduction stay
/// unchanged, and so do the bits of their results.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// A quick test: whether the kernel has an integer division, or an id that loses its upper half.
bool may_have_visit_forms(const llvm::Function& work_item);

void visit_rows(llvm::Function& work_item);

}  // namespace sinter::passes
