#pragma once
/// Makes failed assertions report their work-item.
///
/// Input: kernels into which device calls were inlined, and the functions that they still call. __sinter_assert_fail
/// takes the operands of assert(): expression, file, line and function.
/// Output: __sinter_assert_fail takes six more numbers: the global and the local id of the work-item, each in padded
///   SYCL order. Ids that a kernel does not have are 0 (single tasks, local ids of range kernels). Functions that are
///   not inlined get the ids from their callers, by additional parameters. Functions that are called by address pass
///   abi::unknown_work_item instead.

#include <abi/image_format.hpp>

#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr llvm::StringLiteral assert_fail_name = "__sinter_assert_fail";
/// The call's operands are the operands of assert(), then the ids.
inline constexpr unsigned first_failing_id = 4, failing_ids = 6;

struct asserting_kernel {
  llvm::Function* function;
  abi::kernel_shape shape;
  unsigned dimensions;
};

/// `kernels` are all kernels of the module, which share other functions. Code that was changed before is not changed
/// again.
void name_failing_work_items(llvm::Module& module, llvm::ArrayRef<asserting_kernel> kernels);

}  // namespace sinter::passes
