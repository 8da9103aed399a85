#pragma once
/// Tells whether work-items end soon, without waiting for other work-items.
///
/// Input: a work-item function without barriers, or another function without device calls. The result is true if no
/// code in it runs more than a few dozen times, whatever the data are, and if every call returns. Such kernels may run
/// while they are submitted, because they wait for nothing that happens after the submission.

#include "llvm/IR/Function.h"

namespace sinter::passes {

bool is_bounded(llvm::Function& work_item);

} // namespace sinter::passes
