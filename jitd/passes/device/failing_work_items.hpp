#pragma once
/// Failed assertions report their work-item.
///
/// Input: kernels into which device calls were inlined, and what they still call. __sinter_assert_fail takes what
///   assert() gives: expression, file, line and function.
/// Output: it takes six numbers more, the global and the local id of the work-item, each in padded SYCL order; 0 where
///   a kernel has none (single tasks, local ids of range kernels). Functions that are not inlined get the ids from
///   their callers, as further parameters. Those that are called by address can't: they hand over
///   abi::unknown_work_item.

#include <abi/image_format.hpp>

#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr llvm::StringLiteral assert_fail_name = "__sinter_assert_fail";
/// Operands of the call: those of assert(), then the ids.
inline constexpr unsigned first_failing_id = 4, failing_ids = 6;

struct asserting_kernel {
  llvm::Function* function;
  abi::kernel_shape shape;
  unsigned dimensions;
};

/// `kernels`: all of the module, which share other functions. Does nothing to code that it has changed before.
void name_failing_work_items(llvm::Module& module, llvm::ArrayRef<asserting_kernel> kernels);

}  // namespace sinter::passes
