#pragma once
/// Assumptions that hold in the launches a kernel was written for, but not in all: its indices do not wrap at 2^32
/// (unwrapped_sums.hpp), and the width by which it divides linear ids is that of its range (linear_ids.hpp).
///
/// Input: a work-item function of a range or nd_range kernel whose ids are below 2^31; ids and arguments are values.
/// Output: a copy for such launches, and a function that says whether a launch is one. For others the work-item
///   function itself has to run.

#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

namespace sinter::passes {

struct usual_launches {
  llvm::Function* function = nullptr;   ///< null: the kernel is the same for usual launches
  llvm::Function* condition = nullptr;  ///< i1 of bounds_parameters() (number_bounds.hpp)
  bool nearly_all = false;              ///< others have numbers from 2^31 on
};

/// `accesses`: the access group, which stays that of the copy; may be null.
usual_launches find_usual_launches(llvm::Function& work_item, llvm::MDNode* accesses);

}  // namespace sinter::passes
