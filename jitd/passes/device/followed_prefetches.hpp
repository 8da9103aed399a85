#pragma once
/// Programs ask for memory that is read soon (__builtin_prefetch). Where work-items go along memory by ids and counted
/// loops, the CPU's own prefetchers follow them, and a request by each work-item keeps LLVM's loop vectorizer, loops
/// across rows and stores past the caches from the kernel: b[i] = 2 * a[i] + 1 took 3.4 times as long.
///
/// Input: a work-item function (work_item_function.hpp).
/// Output: the same function without requests for addresses that are sums of ids, loops' counters and arguments.
///   Requests for addresses that come from memory, or that all work-items share, stay.
/// Legal: a request has no effect that a program can notice.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void drop_followed_prefetches(llvm::Function& work_item);

}  // namespace sinter::passes
