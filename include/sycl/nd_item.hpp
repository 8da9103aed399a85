#pragma once
/// sycl::nd_item: the position of a work-item of an nd_range kernel (SYCL 2020 4.9.1.5).

#include <sinter/abi/device_abi.hpp>

#include "group.hpp"
#include "id.hpp"
#include "item.hpp"
#include "nd_range.hpp"
#include "range.hpp"
#include "sub_group.hpp"

namespace sycl::inline _V1 {

namespace ext::oneapi::experimental {
template <int Dimensions>
class root_group;
}

template <int Dimensions = 1>
class nd_item {
public:
  static constexpr int dimensions = Dimensions;

  nd_item() = delete;

  id<Dimensions> get_global_id() const noexcept { return m_global; }
  std::size_t get_global_id(int dimension) const noexcept { return m_global[dimension]; }
  std::size_t get_global_linear_id() const noexcept {
    return detail::linear_index(m_global - m_offset, m_global_range);
  }
  id<Dimensions> get_local_id() const noexcept { return m_group.get_local_id(); }
  std::size_t get_local_id(int dimension) const noexcept { return m_group.get_local_id(dimension); }
  std::size_t get_local_linear_id() const noexcept { return m_group.get_local_linear_id(); }
  group<Dimensions> get_group() const noexcept { return m_group; }
  std::size_t get_group(int dimension) const noexcept { return m_group[dimension]; }
  sub_group get_sub_group() const noexcept { return detail::sub_group_access::current(); }
  std::size_t get_group_linear_id() const noexcept { return m_group.get_group_linear_id(); }
  range<Dimensions> get_group_range() const noexcept { return m_group.get_group_range(); }
  std::size_t get_group_range(int dimension) const noexcept { return m_group.get_group_range(dimension); }
  range<Dimensions> get_global_range() const noexcept { return m_global_range; }
  std::size_t get_global_range(int dimension) const noexcept { return m_global_range[dimension]; }
  range<Dimensions> get_local_range() const noexcept { return m_group.get_local_range(); }
  std::size_t get_local_range(int dimension) const noexcept { return m_group.get_local_range(dimension); }
  /// Deprecated in SYCL 2020.
  id<Dimensions> get_offset() const noexcept { return m_offset; }
  nd_range<Dimensions> get_nd_range() const noexcept { return {m_global_range, m_group.get_local_range(), m_offset}; }

  /// Documented in ext/oneapi/experimental/root_group.hpp.
  ext::oneapi::experimental::root_group<Dimensions> ext_oneapi_get_root_group() const noexcept;

  /// Calls async_work_group_copy of the work-group.
  template <class... Arguments>
  device_event async_work_group_copy(const Arguments&... arguments) const noexcept {
    return m_group.async_work_group_copy(arguments...);
  }
  template <class... Events>
    requires(std::is_same_v<Events, device_event> && ...)
  void wait_for(const Events&... events) const noexcept {
    m_group.wait_for(events...);
  }

  // Names of SYCL 1.2, which migrated programs still use.
  id<Dimensions> get_global() const noexcept { return m_global; }
  std::size_t get_global(int dimension) const noexcept { return m_global[dimension]; }
  id<Dimensions> get_local() const noexcept { return m_group.get_local_id(); }
  std::size_t get_local(int dimension) const noexcept { return m_group.get_local_id(dimension); }
  range<Dimensions> get_num_groups() const noexcept { return m_group.get_group_range(); }
  std::size_t get_num_groups(int dimension) const noexcept { return m_group.get_group_range(dimension); }

  /// The name of group_barrier in SYCL 1.2.1. The fence always covers all memory, whatever the argument.
  SINTER_DEVICE_INLINE void barrier(access::fence_space = access::fence_space::global_and_local) const noexcept {
    group_barrier(m_group);
  }

  friend bool operator==(const nd_item& a, const nd_item& b) noexcept { return a.m_global == b.m_global; }
  friend bool operator!=(const nd_item& a, const nd_item& b) noexcept { return !(a == b); }

private:
  friend struct detail::item_access;
  nd_item(const id<Dimensions>& global, const range<Dimensions>& global_range, const id<Dimensions>& offset,
          const group<Dimensions>& group) noexcept
      : m_global(global), m_global_range(global_range), m_offset(offset), m_group(group) {}

  id<Dimensions> m_global;
  range<Dimensions> m_global_range;
  id<Dimensions> m_offset;
  group<Dimensions> m_group;
};

namespace detail {

/// Makes position objects of the current work-item from the device ABI's functions.
struct item_access {
  template <int Dimensions>
  static inline __attribute__((always_inline)) item<Dimensions, true> make_item(
      const id<Dimensions>& at, const range<Dimensions>& extent) noexcept {
    return {at, extent, {}};
  }

  template <int Dimensions>
  static inline __attribute__((always_inline)) item<Dimensions, true> current_item() noexcept {
    return {query_global_id<Dimensions>(), query_global_range<Dimensions>(), query_global_offset<Dimensions>()};
  }

  template <int Dimensions>
  static inline __attribute__((always_inline)) group<Dimensions> current_group() noexcept {
    using id_t = id<Dimensions>;
    using range_t = range<Dimensions>;
    return {query_dimensions<id_t, Dimensions>([](std::uint32_t d) { return __sinter_group_id(d); }),
            query_dimensions<id_t, Dimensions>([](std::uint32_t d) { return __sinter_local_id(d); }),
            query_dimensions<range_t, Dimensions>([](std::uint32_t d) { return __sinter_local_range(d); }),
            query_dimensions<range_t, Dimensions>([](std::uint32_t d) { return __sinter_group_range(d); })};
  }

  /// Makes the group of a hierarchical kernel. A single work-item runs such a group.
  template <int Dimensions>
  static SINTER_DEVICE_INLINE group<Dimensions> make_group(const id<Dimensions>& group_id,
                                                           const range<Dimensions>& local_range,
                                                           const range<Dimensions>& group_range) noexcept {
    return {group_id, {}, local_range, group_range};
  }
  template <int Dimensions>
  static SINTER_DEVICE_INLINE item<Dimensions, false> make_plain_item(const id<Dimensions>& at,
                                                                      const range<Dimensions>& extent) noexcept {
    return {at, extent, {}};
  }

  template <int Dimensions>
  static inline __attribute__((always_inline)) nd_item<Dimensions> current_nd_item() noexcept {
    return {query_global_id<Dimensions>(), query_global_range<Dimensions>(), query_global_offset<Dimensions>(),
            current_group<Dimensions>()};
  }

  /// Returns the nd_item for turn number `turn`. In each turn but turn 0, the work-item does the work of another group
  /// than its own (abi/device_abi.hpp, __sinter_has_turn).
  template <int Dimensions>
  static SINTER_DEVICE_INLINE nd_item<Dimensions> item_of_turn(const nd_item<Dimensions>& item,
                                                               std::size_t turn) noexcept {
    id<Dimensions> global, group_id;
    for (int d = 0; d < Dimensions; ++d) {
      const auto padded = static_cast<std::uint32_t>(3 - Dimensions + d);
      global[d] = __sinter_turn_global_id(item.m_global[d], turn, padded);
      group_id[d] = __sinter_turn_group_id(item.m_group[d], turn, padded);
    }
    return {global, item.m_global_range, item.m_offset,
            {group_id, item.m_group.get_local_id(), item.m_group.get_local_range(), item.m_group.get_group_range()}};
  }
};

} // namespace detail
} // namespace sycl
