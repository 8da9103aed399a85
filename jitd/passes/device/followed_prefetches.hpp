#pragma once
/// Removes prefetches (__builtin_prefetch) that the CPU's own prefetchers make unnecessary, because work-items access
/// memory in the order of ids and loop counters. A prefetch in each work-item rules out three optimisations: vectors by
/// LLVM's loop vectorizer, loops across rows, and stores that bypass the caches. With a prefetch, b[i] = 2 * a[i] + 1
/// took 3.4 times as long.
///
/// Input: a work-item function (work_item_function.hpp).
/// Output: the function without prefetches of addresses that are sums of ids, loops' counters and arguments. The
/// function keeps prefetches of addresses that come from memory, and prefetches of addresses that all work-items share.
/// The removal is legal because a prefetch has no effect that a program can notice.

#include "llvm/IR/Function.h"

namespace sinter::passes {

void drop_followed_prefetches(llvm::Function& work_item);

}  // namespace sinter::passes
