#pragma once
/// Reports each access of memory to the runtime, which checks whether this memory may be accessed (SINTER_CHECK=memory,
/// races).
///
/// Input: a kernel `void(ptr block)` into which device calls were inlined, before make_work_item_function. Other
/// functions of the module must not query ids of their work-item.
/// Output: calls of the check functions of abi::runtime_functions: __sinter_check_work_item, __sinter_check_resume and
///   __sinter_check_access. Accesses that certainly lie inside their object, and accesses to the scratch memory of
///   group functions, are not reported. Work-items have to run one by one.

#include <abi/image_format.hpp>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// `row` and `leaves` describe the kernel's argument block.
void check_accesses(llvm::Function& kernel, const abi::image_kernel& row, llvm::ArrayRef<abi::image_leaf> leaves);

}  // namespace sinter::passes
