#pragma once
/// Tells whether work-items end soon, without waiting for other work-items.
///
/// Input: a work-item function without barriers, or another function without device calls. The result is true under two
/// conditions: for any data, no code of the function runs more than a few dozen times, and every call returns. Such
/// kernels may run during their submission, because they wait for nothing that happens after the submission.

#include "llvm/IR/Function.h"

namespace sinter::passes {

bool is_bounded(llvm::Function& work_item);

} // namespace sinter::passes
