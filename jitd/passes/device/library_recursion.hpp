#pragma once
/// Turns functions that call themselves into loops, for devices that have no call stack. std::sort and
/// std::uniform_int_distribution have such functions. (Recursion in the program's own functions is refused by the
/// plugin.)
///
/// Input: device functions. Output: no function calls itself directly. A call becomes a jump, and values that are
/// needed behind the call lie in an array of frames, one for each level. Code traps if it needs more than `most_levels`
/// levels. std::sort needs fewer levels than twice the logarithm of its number of elements. Functions that contain
/// barriers or take structures by value are not changed.

#include "llvm/IR/Module.h"

namespace sinter::passes {

constexpr unsigned most_levels = 64;

void unroll_recursion(llvm::Module& module);

} // namespace sinter::passes
