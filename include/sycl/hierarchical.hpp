#pragma once
/// Hierarchical parallelism (deprecated by SYCL 2020 4.9.4.2.3): h_item, private_memory and the work-item loops.
///
/// In a hierarchical kernel, one work-item runs a whole work-group. So variables at the group's scope exist once per
/// group, and each loop runs the group's work-items one after the other.

#include <cstddef>

#include "detail/compiled_core.hpp"
#include "group.hpp"
#include "id.hpp"
#include "item.hpp"
#include "nd_item.hpp"
#include "range.hpp"
#include "specialization.hpp"

namespace sycl::inline _V1 {

template <int Dimensions = 1>
class h_item {
public:
  static constexpr int dimensions = Dimensions;
  h_item() = delete;

  item<Dimensions, false> get_global() const noexcept {
    return make(get_global_id(), m_group.get_group_range() * m_physical);
  }
  item<Dimensions, false> get_local() const noexcept { return get_logical_local(); }
  item<Dimensions, false> get_logical_local() const noexcept { return make(m_at, m_logical); }
  item<Dimensions, false> get_physical_local() const noexcept { return make(physical(), m_physical); }
  range<Dimensions> get_global_range() const noexcept { return get_global().get_range(); }
  std::size_t get_global_range(int dimension) const noexcept { return get_global_range()[dimension]; }
  id<Dimensions> get_global_id() const noexcept {
    id<Dimensions> result = physical();
    for (int d = 0; d < Dimensions; ++d) result[d] += m_group.get_group_id(d) * m_physical[d];
    return result;
  }
  std::size_t get_global_id(int dimension) const noexcept { return get_global_id()[dimension]; }
  range<Dimensions> get_local_range() const noexcept { return m_logical; }
  std::size_t get_local_range(int dimension) const noexcept { return m_logical[dimension]; }
  id<Dimensions> get_local_id() const noexcept { return m_at; }
  std::size_t get_local_id(int dimension) const noexcept { return m_at[dimension]; }
  range<Dimensions> get_logical_local_range() const noexcept { return m_logical; }
  std::size_t get_logical_local_range(int dimension) const noexcept { return m_logical[dimension]; }
  id<Dimensions> get_logical_local_id() const noexcept { return m_at; }
  std::size_t get_logical_local_id(int dimension) const noexcept { return m_at[dimension]; }
  range<Dimensions> get_physical_local_range() const noexcept { return m_physical; }
  std::size_t get_physical_local_range(int dimension) const noexcept { return m_physical[dimension]; }
  id<Dimensions> get_physical_local_id() const noexcept { return physical(); }
  std::size_t get_physical_local_id(int dimension) const noexcept { return physical()[dimension]; }

  friend bool operator==(const h_item& a, const h_item& b) noexcept {
    return a.m_at == b.m_at && a.m_logical == b.m_logical && a.m_group == b.m_group;
  }
  friend bool operator!=(const h_item& a, const h_item& b) noexcept { return !(a == b); }

private:
  template <int>
  friend class group;
  SINTER_DEVICE_INLINE h_item(const id<Dimensions>& at, const range<Dimensions>& logical,
                              const range<Dimensions>& physical, const group<Dimensions>& group) noexcept
      : m_at(at), m_logical(logical), m_physical(physical), m_group(group) {}

  static item<Dimensions, false> make(const id<Dimensions>& at, const range<Dimensions>& extent) noexcept {
    return detail::item_access::make_plain_item(at, extent);
  }
  /// Returns the id of the physical work-item. If there are more logical than physical work-items, the physical
  /// work-items take turns.
  id<Dimensions> physical() const noexcept {
    id<Dimensions> result = m_at;
    for (int d = 0; d < Dimensions; ++d) result[d] %= m_physical[d];
    return result;
  }

  id<Dimensions> m_at;
  range<Dimensions> m_logical;
  range<Dimensions> m_physical;
  group<Dimensions> m_group;
};

namespace detail {
/// The maximum number of work-items in a work-group of a hierarchical kernel. Each private_memory has this many values.
inline constexpr std::size_t hierarchical_group_limit = 1024;
}  // namespace detail

/// Contains a T for each work-item of the group. The values persist from one loop to the next.
template <class T, int Dimensions = 1>
class private_memory {
public:
  explicit private_memory(const group<Dimensions>& group) noexcept : m_range(group.get_local_range()) {}
  private_memory(const private_memory&) = delete;
  private_memory& operator=(const private_memory&) = delete;
  T& operator()(const h_item<Dimensions>& item) noexcept {
    return m_values[detail::linear_index(item.get_physical_local_id(), m_range)];
  }

private:
  range<Dimensions> m_range;
  T m_values[detail::hierarchical_group_limit];
};

template <int Dimensions>
template <class Function>
SINTER_DEVICE_INLINE void group<Dimensions>::parallel_for_work_item(const Function& function) const {
  parallel_for_work_item(m_local_range, function);
}

template <int Dimensions>
template <class Function>
SINTER_DEVICE_INLINE void group<Dimensions>::parallel_for_work_item(const range<Dimensions>& size,
                                                                    const Function& function) const {
  const std::size_t count = size.size();
  id<Dimensions> at;
  for (std::size_t i = 0; i < count; ++i) {
    function(h_item<Dimensions>(at, size, m_local_range, *this));
    for (int d = Dimensions - 1; d >= 0; --d) {
      if (++at[d] < size[d]) break;
      at[d] = 0;
    }
  }
}

namespace detail {

/// The kernel of a hierarchical launch, which has one work-item per work-group.
template <int Dimensions, class Function>
struct hierarchical_kernel {
  /// Capture reads only the attribute device_has of the user's function. Attributes for the size of groups and
  /// sub-groups don't apply, because each work-group of the launch has one work-item.
  using sinter_inner_function = Function;
  Function function;
  range<Dimensions> group_size;
  const specialization_table* specialized;

  SINTER_DEVICE_INLINE void operator()(const nd_item<Dimensions>& at) const {
    const group<Dimensions> whole =
        item_access::make_group(at.get_group().get_group_id(), group_size, at.get_group_range());
    if constexpr (std::is_invocable_v<const Function&, group<Dimensions>, kernel_handler>) {
      function(whole, kernel_handler_access::make(specialized));
    } else {
      function(whole);
    }
  }
};

}  // namespace detail
}  // namespace sycl
