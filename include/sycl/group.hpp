#pragma once
/// sycl::group, the work-group of a work-item (SYCL 2020 4.9.1.7); sycl::device_event; and sycl::group_barrier
/// (4.17.3).

#include <sinter/abi/device_abi.hpp>

#include "detail/export.hpp"
#include "id.hpp"
#include "memory_enums.hpp"
#include "multi_ptr.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

namespace detail {
struct item_access;
}

/// Represents the copy that a call of async_work_group_copy has begun. All work-items of the group have to wait for the
/// copy.
class device_event {
public:
  SINTER_DEVICE_INLINE void wait() const noexcept {
    __sinter_barrier(static_cast<std::uint32_t>(sinter::abi::scope::work_group),
                     static_cast<std::uint32_t>(sinter::abi::scope::work_group));
  }

private:
  template <int>
  friend class group;
  device_event() noexcept = default;
};

template <int Dimensions = 1>
class group {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  id<Dimensions> get_group_id() const noexcept { return m_group; }
  std::size_t get_group_id(int dimension) const noexcept { return m_group[dimension]; }
  std::size_t operator[](int dimension) const noexcept { return m_group[dimension]; }
  id<Dimensions> get_id() const noexcept { return m_group; }
  std::size_t get_id(int dimension) const noexcept { return m_group[dimension]; }
  id<Dimensions> get_local_id() const noexcept { return m_local; }
  std::size_t get_local_id(int dimension) const noexcept { return m_local[dimension]; }
  range<Dimensions> get_local_range() const noexcept { return m_local_range; }
  std::size_t get_local_range(int dimension) const noexcept { return m_local_range[dimension]; }
  range<Dimensions> get_max_local_range() const noexcept { return m_local_range; }
  range<Dimensions> get_group_range() const noexcept { return m_group_range; }
  /// A member function of SYCL 1.2.1.
  range<Dimensions> get_global_range() const noexcept { return m_group_range * m_local_range; }
  std::size_t get_global_range(int dimension) const noexcept {
    return m_group_range[dimension] * m_local_range[dimension];
  }
  std::size_t get_group_range(int dimension) const noexcept { return m_group_range[dimension]; }
  std::size_t get_group_linear_id() const noexcept { return detail::linear_index(m_group, m_group_range); }
  std::size_t get_linear_id() const noexcept { return get_group_linear_id(); }
  std::size_t get_local_linear_id() const noexcept { return detail::linear_index(m_local, m_local_range); }
  std::size_t get_group_linear_range() const noexcept { return m_group_range.size(); }
  std::size_t get_local_linear_range() const noexcept { return m_local_range.size(); }
  bool leader() const noexcept { return get_local_linear_id() == 0; }

  /// These functions copy between local and global memory. All work-items of the group have to call such a function
  /// together, with the same arguments.
  template <class T, class U, access::decorated To, access::decorated From>
    requires(std::is_same_v<std::remove_const_t<U>, T>)
  SINTER_DEVICE_INLINE device_event async_work_group_copy(
      multi_ptr<T, access::address_space::local_space, To> destination,
      multi_ptr<U, access::address_space::global_space, From> source, std::size_t count,
      std::size_t source_stride = 1) const noexcept {
    return copy(destination.get_raw(), source.get_raw(), count, 1, source_stride);
  }
  template <class T, class U, access::decorated To, access::decorated From>
    requires(std::is_same_v<std::remove_const_t<U>, T>)
  SINTER_DEVICE_INLINE device_event async_work_group_copy(
      multi_ptr<T, access::address_space::global_space, To> destination,
      multi_ptr<U, access::address_space::local_space, From> source, std::size_t count,
      std::size_t destination_stride = 1) const noexcept {
    return copy(destination.get_raw(), source.get_raw(), count, destination_stride, 1);
  }
  /// All work-items of the group have to call this function. The function waits until the copies of all these
  /// work-items are complete.
  template <class... Events>
    requires(std::is_same_v<Events, device_event> && ...)
  SINTER_DEVICE_INLINE void wait_for(const Events&...) const noexcept {
    device_event().wait();
  }

  /// Only for hierarchical kernels, which are deprecated in SYCL 2020 (hierarchical.hpp). Calls the function object
  /// with the h_item of each work-item of the group, or of each of `size` logical work-items.
  template <class Function>
  SINTER_DEVICE_INLINE void parallel_for_work_item(const Function& function) const;
  template <class Function>
  SINTER_DEVICE_INLINE void parallel_for_work_item(const range<Dimensions>& size, const Function& function) const;

  friend bool operator==(const group& a, const group& b) noexcept { return a.m_group == b.m_group; }
  friend bool operator!=(const group& a, const group& b) noexcept { return !(a == b); }

private:
  friend struct detail::item_access;
  group(const id<Dimensions>& group_id, const id<Dimensions>& local, const range<Dimensions>& local_range,
        const range<Dimensions>& group_range) noexcept
      : m_group(group_id), m_local(local), m_local_range(local_range), m_group_range(group_range) {}

  template <class T>
  SINTER_DEVICE_INLINE device_event copy(T* destination, const T* source, std::size_t count,
                                                          std::size_t destination_stride,
                                                          std::size_t source_stride) const noexcept {
    // Uses the local range of the launch, because one work-item runs a whole group of a hierarchical kernel.
    const std::size_t rows = __sinter_local_range(1), columns = __sinter_local_range(2);
    const std::size_t step = __sinter_local_range(0) * rows * columns;
    const std::size_t first = (__sinter_local_id(0) * rows + __sinter_local_id(1)) * columns + __sinter_local_id(2);
    for (std::size_t i = first; i < count; i += step) {
      destination[i * destination_stride] = source[i * source_stride];
    }
    return {};
  }

  id<Dimensions> m_group;
  id<Dimensions> m_local;
  range<Dimensions> m_local_range;
  range<Dimensions> m_group_range;
};

/// Waits for all work-items of the group. After the barrier, the work-items see each other's earlier accesses at
/// `scope`. Either all work-items of the group call this function, or none does.
template <int Dimensions>
SINTER_DEVICE_INLINE void group_barrier(
    group<Dimensions>, memory_scope scope = group<Dimensions>::fence_scope) noexcept {
  __sinter_barrier(static_cast<std::uint32_t>(sinter::abi::scope::work_group), static_cast<std::uint32_t>(scope));
}

/// Orders the calling work-item's own memory accesses (SYCL 2020 4.15.1).
SINTER_DEVICE_INLINE void atomic_fence(memory_order order, memory_scope scope) noexcept {
  __sinter_fence(static_cast<std::uint32_t>(order), static_cast<std::uint32_t>(scope));
}

} // namespace sycl
