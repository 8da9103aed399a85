#pragma once
/// Makes a copy of a kernel for usual launches. In usual launches, indices do not wrap at 2^32 (unwrapped_sums.hpp),
/// and the kernel divides linear ids by the width of its range (linear_ids.hpp).
///
/// Input: a work-item function of a range or nd_range kernel whose ids are below 2^31. Ids and arguments are SSA
///   values.
/// Output: a copy for usual launches, and a function that tells whether a launch is usual. For other launches the
///   work-item function itself has to run.

#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

namespace sinter::passes {

struct usual_launches {
  llvm::Function* function = nullptr;   ///< null if the kernel has no copy for usual launches
  llvm::Function* condition = nullptr;  ///< returns an i1, and has bounds_parameters() (number_bounds.hpp)
  bool nearly_all = false;              ///< whether all launches without numbers of 2^31 or more are usual
};

/// `accesses` is the access group, which the copy shares; it may be null.
usual_launches find_usual_launches(llvm::Function& work_item, llvm::MDNode* accesses);

}  // namespace sinter::passes
