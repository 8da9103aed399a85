#pragma once
/// Turns atomics on local memory into plain operations, because a work-group runs on one thread.
///
/// Input: a function with the parameters of work_item_function.hpp, for one work-item or for several in lanes.
/// Output: the function without atomic operations on addresses that surely lie in local memory. Atomic operations on
/// other addresses, fences, and volatile accesses are not changed. The pass must run after work-items have become
/// lanes, because
///   lanes that update one address at the same time would lose updates if the operations were already plain.

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Whether an address, or a lane of a vector of addresses, surely lies in local memory.
bool is_local_memory(const llvm::Value* address, const llvm::Value* local_base);

void lower_local_atomics(llvm::Function& work_item);

} // namespace sinter::passes
