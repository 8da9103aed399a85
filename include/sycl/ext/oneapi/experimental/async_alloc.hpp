#pragma once
/// sycl_ext_oneapi_async_memory_alloc: commands that allocate and free memory, in order with other commands, and memory
/// pools for these allocations. In a graph, the memory belongs to the graph. For graphs, a pool's kind and zero_init
/// matter; its other settings have no effect (docs/graphs.md).

#include <cstddef>

#include "../../../queue.hpp"
#include "../../../usm.hpp"

#define SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC 1

namespace sycl::inline _V1::detail {

// These functions are defined in src/runtime. The device is null for pools of kind host.
SINTER_EXPORT shared<counted> make_pool(const context& home, const device* its_device, usm::alloc kind,
                                        const property_list& properties);
SINTER_EXPORT shared<counted> usual_pool(const context& home, const device& its_device, usm::alloc kind);
SINTER_EXPORT context pool_context(const shared<counted>& pool);
SINTER_EXPORT device pool_device(const shared<counted>& pool);
SINTER_EXPORT usm::alloc pool_kind(const shared<counted>& pool) noexcept;
SINTER_EXPORT std::size_t pool_threshold(const shared<counted>& pool) noexcept;
SINTER_EXPORT void raise_pool_threshold(const shared<counted>& pool, std::size_t bytes) noexcept;
SINTER_EXPORT std::size_t pool_reserved(const shared<counted>& pool);
SINTER_EXPORT std::size_t pool_used(const shared<counted>& pool);

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

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
/// Memory from the pool is initially zero. The memory of a graph is set to zeros each time the graph is finalized.
struct zero_init : detail::property_of_kind<detail::property_kind::pool_zero_init> {};
}  // namespace property::memory_pool

/// A pool from which commands allocate memory. The pool keeps freed memory for the next allocation, up to the
/// threshold. Copies of the object refer to the same pool.
class memory_pool : public detail::with_properties {
public:
  /// Makes a pool of kind host. Throws errc::invalid if `kind` is not host.
  memory_pool(const context& home, usm::alloc kind, const property_list& properties = {})
      : with_properties(properties), m_pool(detail::make_pool(home, nullptr, kind, properties)) {}
  /// Makes a pool of kind device or shared. Throws errc::invalid if `kind` is not device or shared.
  memory_pool(const context& home, const device& its_device, usm::alloc kind, const property_list& properties = {})
      : with_properties(properties), m_pool(detail::make_pool(home, &its_device, kind, properties)) {}
  /// Makes a pool in the queue's context and, unless the kind is host, on the queue's device.
  memory_pool(const queue& like, usm::alloc kind, const property_list& properties = {})
      : with_properties(properties) {
    const device its_device = like.get_device();
    m_pool = detail::make_pool(like.get_context(), kind == usm::alloc::host ? nullptr : &its_device, kind, properties);
  }
  context get_context() const { return detail::pool_context(m_pool); }
  /// Returns the pool's device; for a pool of kind host, the first device of the context.
  device get_device() const { return detail::pool_device(m_pool); }
  usm::alloc get_alloc_kind() const noexcept { return detail::pool_kind(m_pool); }
  /// Returns the number of bytes that the pool may keep for the next allocation.
  std::size_t get_threshold() const noexcept { return detail::pool_threshold(m_pool); }
  /// The threshold only grows: a smaller value has no effect.
  void increase_threshold_to(std::size_t bytes) noexcept { detail::raise_pool_threshold(m_pool, bytes); }
  /// reserved_size counts the bytes in use and the bytes that the pool keeps. used_size counts only the bytes in use.
  /// Memory is in use from the call of async_malloc_from_pool until the command of async_free is complete. Memory of
  /// graphs is not counted.
  std::size_t get_reserved_size_current() const { return detail::pool_reserved(m_pool); }
  std::size_t get_used_size_current() const { return detail::pool_used(m_pool); }

  friend bool operator==(const memory_pool& a, const memory_pool& b) noexcept { return a.m_pool == b.m_pool; }
  friend bool operator!=(const memory_pool& a, const memory_pool& b) noexcept { return !(a == b); }

private:
  friend class sycl::context;
  friend struct detail::pool_access;
  explicit memory_pool(detail::shared<detail::counted> pool) noexcept : m_pool(pool) {}
  detail::shared<detail::counted> m_pool;
};

/// Makes the command group's command an allocation. The memory comes from the context's default pool for the kind.
/// Programs may use the returned address at once, for instance in other command groups. Only commands that depend on
/// this command may access the memory, and only until the command of async_free. Throws errc::invalid for 0 bytes, and
/// errc::memory_allocation if the memory can't be allocated. In a graph, only later nodes of the same graph may use the
/// memory, and its contents are lost when an execution of the graph ends. Throws errc::invalid in a graph if `kind` is
/// not device.
SINTER_EXPORT void* async_malloc(handler& group, usm::alloc kind, std::size_t bytes);
/// Like async_malloc, but the memory comes from `pool`. Also throws errc::invalid if the pool has another context or
/// device, and errc::memory_allocation if the pool's maximum_size would be exceeded.
SINTER_EXPORT void* async_malloc_from_pool(handler& group, std::size_t bytes, const memory_pool& pool);
/// Makes the command group's command free the memory when its dependencies are complete. Throws errc::invalid if the
/// memory does not come from async_malloc, if another command frees it, or if it belongs to another graph.
SINTER_EXPORT void async_free(handler& group, void* memory);

// These functions submit one command to the queue.
inline void* async_malloc(const queue& where, usm::alloc kind, std::size_t bytes) {
  void* memory = nullptr;
  queue target = where;
  target.submit([&](handler& group) { memory = async_malloc(group, kind, bytes); });
  return memory;
}
inline void* async_malloc_from_pool(const queue& where, std::size_t bytes, const memory_pool& pool) {
  void* memory = nullptr;
  queue target = where;
  target.submit([&](handler& group) { memory = async_malloc_from_pool(group, bytes, pool); });
  return memory;
}
inline void async_free(const queue& where, void* memory) {
  queue target = where;
  target.submit([&](handler& group) { async_free(group, memory); });
}

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1 {

inline ext::oneapi::experimental::memory_pool context::ext_oneapi_get_default_memory_pool(const device& its_device,
                                                                                          usm::alloc kind) const {
  return ext::oneapi::experimental::memory_pool(detail::usual_pool(*this, its_device, kind));
}
inline ext::oneapi::experimental::memory_pool context::ext_oneapi_get_default_memory_pool(usm::alloc kind) const {
  return ext_oneapi_get_default_memory_pool(get_devices().front(), kind);
}

}  // namespace sycl
