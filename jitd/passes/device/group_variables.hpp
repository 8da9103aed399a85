#pragma once
/// Places the variables that the work-items of a group share (__sinter_group_variable). They lie in the group's local
/// memory, in front of local accessors.
///
/// Input: a kernel into which device calls were inlined, and which still calls functions for local memory. Output: no
/// call for a variable is left, and local accessors begin behind the variables. Calls with equal keys get the same
/// memory, even if passes copied or merged them. If an argument of such a call is not constant, the result is an error.

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

/// Returns the bytes that all variables take, a multiple of 128.
llvm::Expected<std::uint64_t> place_group_variables(llvm::Function& kernel);

/// Gives new keys to the variables of `kernel`, which is a member of a fusion. Another member may be a copy of the same
/// kernel, and its work-items may begin while other work-items still use this member's variables.
void separate_group_variables(llvm::Function& kernel);

}  // namespace sinter::passes
