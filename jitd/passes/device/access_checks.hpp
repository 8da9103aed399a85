#pragma once
/// Reports each access of memory to the runtime, which knows which memory may be accessed (SINTER_CHECK=memory, races).
///
/// Input: a kernel `void(ptr block)` into which device calls were inlined, before it knows its work-item. Other
///   functions of the module may be there: those that ask for nothing of their work-item.
/// Output: calls of the check functions of abi::runtime_functions, as __sinter_check_work_item, __sinter_check_resume
///   and __sinter_check_access. Accesses that certainly lie inside their object are left alone, and so are those to the
///   scratch memory of group functions. Work-items have to run one by one.

#include <abi/image_format.hpp>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

/// `row` and `leaves` describe the kernel's argument block.
void check_accesses(llvm::Function& kernel, const abi::image_kernel& row, llvm::ArrayRef<abi::image_leaf> leaves);

}  // namespace sinter::passes
