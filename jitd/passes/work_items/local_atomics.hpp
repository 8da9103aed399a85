#pragma once
/// Atomics on local memory as plain operations: a work-group runs on one thread.
///
/// Input: a function with the parameters of work_item_function.hpp, of one work-item or of several in lanes.
/// Output: the same without atomic operations on addresses that surely lie in local memory. Those of other addresses,
///   fences, and volatile accesses stay.
/// Must run after whatever lets several work-items run at once (lanes): plain operations promise nothing there.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Whether an address, also one of the lanes of a vector, surely lies in local memory.
bool is_local_memory(const llvm::Value* address, const llvm::Value* local_base);

void lower_local_atomics(llvm::Function& work_item);

} // namespace sinter::passes
