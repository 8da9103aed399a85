#pragma once
/// Functions that call themselves, for devices that have no stack of calls: std::sort and std::uniform_int_distribution
/// are such (the plugin refuses recursion of the user's).
///
/// In: device functions. Out: none calls itself directly. What is needed behind a call lies in an array of frames, one
/// for each level, and a call is a jump. Deeper than `most_levels` is a trap: std::sort stays below twice the logarithm
/// of how many elements it gets. What meets others inside of such a function, or takes structures by value, stays.

#include "llvm/IR/Module.h"

namespace sinter::passes {

constexpr unsigned most_levels = 64;

void unroll_recursion(llvm::Module& module);

} // namespace sinter::passes
