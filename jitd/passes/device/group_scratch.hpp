#pragma once
/// Finds out how much of a group's scratch memory a kernel uses.
///
/// Input: a kernel into which device calls were inlined. Output: the largest constant with which __sinter_group_scratch
/// is called, 0 without a call, or an error if the argument of a call is not constant.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

llvm::Expected<std::uint64_t> scratch_bytes_per_item(const llvm::Function& kernel);

}  // namespace sinter::passes
