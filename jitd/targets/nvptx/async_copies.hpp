#pragma once
/// Copies from global to local memory that go on while the work-item computes (cp.async, from sm_80 on), until the
/// barrier behind which others see them.

#include <abi/image_format.hpp>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace sinter::jit::nvptx {

/// Input: the entry of a kernel, optimised; accesses name their memory. `leaves`: its arguments.
/// Output: where 8 or 16 bytes are loaded from global memory only to be stored in local memory, one instruction copies
///   them, and no register holds them. The work-item waits for its copies in front of fences, atomic accesses, accesses
///   that may meet them, and barriers behind which a work-item may access that memory before the next barrier. Later
///   copies to other local accessors may go on meanwhile (cp.async.wait_group).
/// Legal where nothing on the way to the first barrier may read or write what is copied, or the copy. Loads of matrices
///   may: each of their elements is read by any work-item of the sub-group, so none has been written since the last
///   barrier.
void copy_asynchronously(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, llvm::AAResults& aliases,
                         llvm::ScalarEvolution& numbers, const llvm::LoopInfo& loops);

}  // namespace sinter::jit::nvptx
