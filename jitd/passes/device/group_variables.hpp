#pragma once
/// Variables that the work-items of a group share (__sinter_group_variable): they lie in the group's local memory, in
/// front of local accessors.
///
/// Input: a kernel into which device calls were inlined, still with its calls for local memory. Output: no call for a
///   variable is left; local accessors begin behind the variables. Calls with equal keys get the same memory, however
///   often passes copied or merged them. An error for a call whose arguments are not constant.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

/// Returns the bytes that all of them take: a multiple of 128.
llvm::Expected<std::uint64_t> place_group_variables(llvm::Function& kernel);

/// Gives the variables of `kernel`, a member of a fusion, new keys: another member may be the same kernel, and may
/// start while this one still uses them.
void separate_group_variables(llvm::Function& kernel);

}  // namespace sinter::passes
