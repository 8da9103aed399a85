#pragma once
/// Lets copies from global to local memory run in the background while the work-item computes (cp.async, from sm_80
/// on), until the barrier behind which other work-items see them.

#include <abi/image_format.hpp>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

namespace sinter::jit::nvptx {

/// Input: the optimised entry of a kernel, whose accesses name their address space. `leaves` are its arguments.
/// Output: if 8 or 16 bytes are loaded from global memory only to be stored in local memory, one instruction copies
///   them without a register. The work-item waits for its copies in front of fences, atomic accesses, accesses that may
///   overlap with the copies, and barriers behind which a work-item may access the copied memory before the next
///   barrier. While the work-item waits, later copies to other local accessors may go on (cp.async.wait_group). A copy
///   in the background is legal if no instruction before the first barrier may write to the source, or access the
///   destination. Loads of matrices are allowed, too. In such a load, any work-item of the sub-group may read any
///   element, so a correct kernel has a barrier between the stores of the elements and the load.
void copy_asynchronously(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, llvm::AAResults& aliases,
                         llvm::ScalarEvolution& numbers, const llvm::LoopInfo& loops);

}  // namespace sinter::jit::nvptx
