#pragma once
/// Removes stores to the group's local memory that nothing reads. If one body runs the whole group, values that
/// work-items exchange in registers need not be in memory as well.
///
/// Input: a CPU entry (work_item_loops.hpp) that LLVM has optimised.
/// Output: the entry without stores to bytes of nd_state::local_memory that no later access reads. A read at an unknown
///   offset counts as a read of all bytes. Nothing changes if the pointer is passed on, or if the function is called.
///   Local memory ends with its group (SYCL 2020 4.7.6.11), and has no contents when a group begins.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void remove_dead_local_stores(llvm::Function& entry);

}  // namespace sinter::passes
