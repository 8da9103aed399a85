#pragma once
/// async_malloc and async_free of sycl_ext_oneapi_async_memory_alloc, for nodes of graphs: other commands throw
/// errc::feature_not_supported. Of memory pools, graphs ask for the kind and for zero_init; sizes are hints to others.

#include <cstddef>

#include "../../../queue.hpp"
#include "../../../usm.hpp"

namespace sycl::ext::oneapi::experimental {

namespace property::memory_pool {
struct initial_threshold : detail::property_of_kind<detail::property_kind::pool_initial_threshold> {
  explicit initial_threshold(std::size_t its_bytes) noexcept : m_bytes(its_bytes) {}
  std::size_t get_initial_threshold() const noexcept { return m_bytes; }

private:
  std::size_t m_bytes;
};
struct maximum_size : detail::property_of_kind<detail::property_kind::pool_maximum_size> {
  explicit maximum_size(std::size_t its_bytes) noexcept : m_bytes(its_bytes) {}
  std::size_t get_maximum_size() const noexcept { return m_bytes; }

private:
  std::size_t m_bytes;
};
struct read_only : detail::property_of_kind<detail::property_kind::pool_read_only> {};
/// Memory begins as zeros; that of a graph each time that the graph is finalized.
struct zero_init : detail::property_of_kind<detail::property_kind::pool_zero_init> {};
}  // namespace property::memory_pool

/// What memory is asked for. Graphs have memory of their own: nothing is kept here.
class memory_pool : public detail::with_properties {
public:
  memory_pool(const context& home, const device& its_device, usm::alloc kind, const property_list& properties = {})
      : with_properties(properties), m_context(home), m_device(its_device), m_kind(kind) {
    using property::memory_pool::initial_threshold;
    if (has_property<initial_threshold>())
      m_threshold->value = get_property<initial_threshold>().get_initial_threshold();
  }
  memory_pool(const queue& like, usm::alloc kind, const property_list& properties = {})
      : memory_pool(like.get_context(), like.get_device(), kind, properties) {}
  context get_context() const { return m_context; }
  device get_device() const { return m_device; }
  usm::alloc get_alloc_kind() const noexcept { return m_kind; }
  /// How many bytes the pool may keep. A pool here never keeps any, so the other queries return 0.
  std::size_t get_threshold() const noexcept { return __atomic_load_n(&m_threshold->value, __ATOMIC_RELAXED); }
  std::size_t get_reserved_size_current() const noexcept { return 0; }
  std::size_t get_used_size_current() const noexcept { return 0; }
  /// Fewer bytes than the threshold are ignored, for it only grows.
  void increase_threshold_to(std::size_t bytes) noexcept {
    std::size_t now = get_threshold();
    while (now < bytes && !__atomic_compare_exchange_n(&m_threshold->value, &now, bytes, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
  }
  /// Copies are the same pool.
  friend bool operator!=(const memory_pool& a, const memory_pool& b) noexcept { return !(a == b); }
  friend bool operator==(const memory_pool& a, const memory_pool& b) noexcept { return a.m_threshold == b.m_threshold; }

private:
  context m_context;
  device m_device;
  usm::alloc m_kind;
  /// Its address also tells pools apart.
  detail::shared<detail::holder<std::size_t>> m_threshold = detail::make_counted<detail::holder<std::size_t>>(0u);
};

/// The command group becomes a node of a graph. The memory is for nodes behind it and before the one that frees it, of
/// this graph alone, and keeps nothing from one execution to the next. errc::invalid unless `kind` is device and there
/// are bytes; errc::memory_allocation when there is no such memory.
SINTER_EXPORT void* async_malloc(handler& group, usm::alloc kind, std::size_t bytes);
/// As the pool has it; errc::invalid also when the pool is for another context or device.
SINTER_EXPORT void* async_malloc_from_pool(handler& group, std::size_t bytes, const memory_pool& pool);
/// errc::invalid unless the memory is of a node of the same graph, and no other node frees it.
SINTER_EXPORT void async_free(handler& group, void* memory);

/// On a queue that records to a graph.
inline void* async_malloc(const queue& recording, usm::alloc kind, std::size_t bytes) {
  void* memory = nullptr;
  queue target = recording;
  target.submit([&](handler& group) { memory = async_malloc(group, kind, bytes); });
  return memory;
}
inline void* async_malloc_from_pool(const queue& recording, std::size_t bytes, const memory_pool& pool) {
  void* memory = nullptr;
  queue target = recording;
  target.submit([&](handler& group) { memory = async_malloc_from_pool(group, bytes, pool); });
  return memory;
}
inline void async_free(const queue& recording, void* memory) {
  queue target = recording;
  target.submit([&](handler& group) { async_free(group, memory); });
}

}  // namespace sycl::ext::oneapi::experimental
