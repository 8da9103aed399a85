#pragma once
/// Handles rows of flat ranges (flat_rows.hpp) where work-items visit the elements of a range one after the other, side
/// by side with the other work-items of their group (element_visits.hpp). A visit gets a second form, for all elements
/// in one row, and for indices of 32 bits that do not wrap (unwrapped_sums.hpp), in rows or not.
///
/// Input: a work-item function with its visits still marked; ids are values, not memory. The sums of a reduction stay
/// as they are, and so do their bits.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Whether the kernel has something to look for: an integer division, or an id that loses its upper half.
bool may_have_visit_forms(const llvm::Function& work_item);

void visit_rows(llvm::Function& work_item);

}  // namespace sinter::passes
