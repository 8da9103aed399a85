#pragma once
/// sycl::sub_group (SYCL 2020 4.9.1.8). On the CPU device a sub-group has one work-item: info::device::sub_group_sizes.

#include <cstdint>
#include <sinter/abi/device_abi.hpp>

#include "detail/export.hpp"
#include "id.hpp"
#include "memory_enums.hpp"
#include "range.hpp"

namespace sycl {

template <int Dimensions = 1>
class nd_item;

class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  /// Within the work-group.
  id<1> get_group_id() const noexcept { return m_group; }
  id<1> get_local_id() const noexcept { return 0; }
  range<1> get_local_range() const noexcept { return 1; }
  range<1> get_group_range() const noexcept { return m_groups; }
  range<1> get_max_local_range() const noexcept { return 1; }
  std::uint32_t get_group_linear_id() const noexcept { return static_cast<std::uint32_t>(m_group); }
  std::uint32_t get_local_linear_id() const noexcept { return 0; }
  std::uint32_t get_group_linear_range() const noexcept { return static_cast<std::uint32_t>(m_groups); }
  std::uint32_t get_local_linear_range() const noexcept { return 1; }
  bool leader() const noexcept { return get_local_linear_id() == 0; }

  friend bool operator==(const sub_group& a, const sub_group& b) noexcept { return a.m_group == b.m_group; }
  friend bool operator!=(const sub_group& a, const sub_group& b) noexcept { return !(a == b); }

private:
  template <int>
  friend class nd_item;
  sub_group(std::size_t group, std::size_t groups) noexcept : m_group(group), m_groups(groups) {}

  std::size_t m_group;
  std::size_t m_groups;
};

/// All work-items of the sub-group meet here (SYCL 2020 4.17.3).
SINTER_DEVICE_INLINE void group_barrier(sub_group, memory_scope scope = sub_group::fence_scope) noexcept {
  __sinter_barrier(static_cast<std::uint32_t>(sinter::abi::scope::sub_group), static_cast<std::uint32_t>(scope));
}

namespace detail {

// The only places that know how many work-items a sub-group has. All of them call each function together.

/// The value of the work-item `source`; unspecified when there is none.
template <class T>
SINTER_DEVICE_INLINE T sub_group_select(const sub_group&, const T& value, std::uint32_t) noexcept {
  return value;
}
/// All values combined.
template <class T, class Operation>
SINTER_DEVICE_INLINE T sub_group_fold(const sub_group&, const T& value, const Operation&) {
  return value;
}
/// The values of this and all earlier work-items combined.
template <class T, class Operation>
SINTER_DEVICE_INLINE T sub_group_scan(const sub_group&, const T& value, const Operation&) {
  return value;
}

}  // namespace detail
}  // namespace sycl
