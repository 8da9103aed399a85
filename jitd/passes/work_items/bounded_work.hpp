#pragma once
/// Tells whether work-items end soon without waiting for others.
///
/// Input: a work-item function without barriers, or another function without device calls. The result is true if no
/// path through it repeats more than a few dozen times for any data, and every call returns. Such kernels may run while
/// they are submitted: nothing that happens after the submission can matter to them.

#include "llvm/IR/Function.h"

namespace sinter::passes {

bool is_bounded(llvm::Function& work_item);

} // namespace sinter::passes
