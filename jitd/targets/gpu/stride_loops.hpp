#pragma once
/// Loops from a work-item's id to a bound by steps as long as the whole range: LLVM can't say how often they run, since
/// the index may wrap around, and leaves them as they are, with one load under way.

#include "llvm/Analysis/LoopInfo.h"

namespace sinter::jit::gpu {

/// Input: an innermost loop in simplified form without calls. Output: in front of loops of one block that run to a
/// bound by a step that is no constant, a loop that makes `together` iterations at a time, 4 to 16. It is entered where
/// nothing can wrap around, and leaves the last one to `together` iterations to the old loop. Analyses of the function
/// are out of date then (result true).
bool unroll_stride_loop(llvm::Loop& loop, unsigned together);

}  // namespace sinter::jit::gpu
