#pragma once
/// Unrolls loops that go from a work-item's id to a bound in steps as long as the whole range. LLVM does not unroll
/// such a loop, because the number of iterations is unknown if the index may wrap around. Without unrolling, only one
/// load would be in flight at a time.

#include "llvm/Analysis/LoopInfo.h"

namespace sinter::jit::gpu {

/// Input: an innermost loop in simplified form without calls.
/// Output: a loop with one block that counts to a bound by a step that is not constant gets a second loop in front of
/// it. The second loop runs `together` iterations at a time (4 to 16). The original loop runs the remaining iterations.
/// The second loop is entered if nothing can wrap around, and leaves the last iterations, 1 to `together`, to the
/// original loop. Returns whether there is a second loop. If there is one, analyses of the function are out of date.
bool unroll_stride_loop(llvm::Loop& loop, unsigned together);

}  // namespace sinter::jit::gpu
