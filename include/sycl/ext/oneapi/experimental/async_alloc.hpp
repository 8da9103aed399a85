#pragma once
/// async_malloc and async_free of sycl_ext_oneapi_async_memory_alloc, for nodes of graphs: other commands throw
/// errc::feature_not_supported, and there are no memory pools.

#include <cstddef>

#include "../../../queue.hpp"
#include "../../../usm.hpp"

namespace sycl::ext::oneapi::experimental {

/// The command group becomes a node of a graph. The memory is for nodes behind it and before the one that frees it, of
/// this graph alone, and keeps nothing from one execution to the next. errc::invalid unless `kind` is device and there
/// are bytes; errc::memory_allocation when there is no such memory.
SINTER_EXPORT void* async_malloc(handler& group, usm::alloc kind, std::size_t bytes);
/// errc::invalid unless the memory is of a node of the same graph, and no other node frees it.
SINTER_EXPORT void async_free(handler& group, void* memory);

/// On a queue that records to a graph.
inline void* async_malloc(const queue& recording, usm::alloc kind, std::size_t bytes) {
  void* memory = nullptr;
  queue target = recording;
  target.submit([&](handler& group) { memory = async_malloc(group, kind, bytes); });
  return memory;
}
inline void async_free(const queue& recording, void* memory) {
  queue target = recording;
  target.submit([&](handler& group) { async_free(group, memory); });
}

}  // namespace sycl::ext::oneapi::experimental
