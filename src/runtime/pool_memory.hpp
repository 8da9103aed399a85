#pragma once
/// Memory pools (sycl_ext_oneapi_async_memory_alloc), from which commands allocate memory.

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>

#include <sycl/context.hpp>
#include <sycl/detail/compiled_core.hpp>
#include <sycl/device.hpp>
#include <sycl/usm.hpp>

namespace sycl::inline _V1::detail {

class pool_memory : public counted {
public:
  /// The pool has `most` bytes, or no limit if `most` is 0. `zeroed` says that memory begins as zeros.
  pool_memory(const context& home, const device& its_device, usm::alloc kind, std::size_t most, std::size_t threshold,
              bool zeroed)
      : m_home(home), m_device(its_device), m_kind(kind), m_most(most), m_zeroed(zeroed), m_threshold(threshold) {}
  ~pool_memory() override;

  /// Returns memory. Throws errc::memory_allocation if there is none, or if the pool's limit would be exceeded.
  void* take(std::size_t bytes);
  /// Takes memory back that is no longer used. Keeps it for later allocations unless the pool's memory would exceed the
  /// threshold.
  void give_back(void* memory, std::size_t bytes) noexcept;

  const context& home() const noexcept { return m_home; }
  const device& its_device() const noexcept { return m_device; }
  usm::alloc kind() const noexcept { return m_kind; }
  bool zeroed() const noexcept { return m_zeroed; }
  std::size_t threshold() const noexcept { return m_threshold; }
  void raise_threshold(std::size_t bytes) noexcept;
  std::size_t used() const;
  std::size_t reserved() const;

private:
  std::size_t reserved_now() const noexcept { return m_used + m_kept_bytes; }
  void drop_kept() noexcept;

  const context m_home;
  const device m_device;
  const usm::alloc m_kind;
  const std::size_t m_most;
  const bool m_zeroed;
  std::atomic<std::size_t> m_threshold;
  mutable std::mutex m_mutex;  // protects the members below
  std::size_t m_used = 0, m_kept_bytes = 0;
  std::multimap<std::size_t, void*> m_kept;  ///< free blocks by their size in bytes
};

struct pool_access {
  template <class Pool>
  static const shared<counted>& of(const Pool& pool) noexcept {
    return pool.m_pool;
  }
};

/// These two functions make the group's command allocate or free memory. The functions can't be used for commands that
/// become nodes of a graph.
void* allocate_in_order(handler_impl& group, const shared<pool_memory>& pool, std::size_t bytes);
/// Throws errc::invalid if the memory belongs to no pool, or if an earlier command frees the memory already.
void free_in_order(handler_impl& group, void* memory);

}  // namespace sycl::detail
