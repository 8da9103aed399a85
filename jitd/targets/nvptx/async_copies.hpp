#pragma once
/// Copies from global to local memory that go on while the work-item computes (cp.async, from sm_80 on), until its next
/// barrier.

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace sinter::jit::nvptx {

/// Input: the entry of a kernel, optimised; accesses name their memory.
/// Output: where 8 or 16 bytes are loaded from global memory only to be stored in local memory, one instruction copies
///   them, and no register holds them. The work-item waits for its copies in front of barriers, fences and atomic
/// accesses, and of accesses behind the loop that may meet them. Legal where nothing on the way to these may read or
/// write what is copied, or the copy. Loads of matrices may: each of
///   their elements is read by any work-item of the sub-group, so none has been written since the last barrier.
void copy_asynchronously(llvm::Function& entry, llvm::AAResults& aliases, llvm::ScalarEvolution& numbers,
                         const llvm::LoopInfo& loops);

}  // namespace sinter::jit::nvptx
