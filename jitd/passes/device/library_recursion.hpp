#pragma once
/// Turns functions that call themselves into loops, for devices that have no stack of calls. std::sort and
/// std::uniform_int_distribution have such functions; the plugin refuses recursion of the user's own.
///
/// Input: device functions. Output: none of them calls itself directly. A call becomes a jump; values that are needed
/// behind it lie in an array of frames, one for each level. More than `most_levels` levels trap: std::sort needs fewer
/// than twice the logarithm of its number of elements. Leaves functions that contain barriers or take structures by
/// value as they are.

#include "llvm/IR/Module.h"

namespace sinter::passes {

constexpr unsigned most_levels = 64;

void unroll_recursion(llvm::Module& module);

} // namespace sinter::passes
