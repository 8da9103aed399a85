#pragma once
/// sycl_khr_group_interface: a short interface for work-groups, sub-groups and work-items in a group, with the same
/// names in all of them. `id` is the position of the group among all groups, `range` is the number of groups, and
/// `size` is the number of work-items in the group. The members that need C++23's <mdspan> (extents, rank) are missing.

#include "../group.hpp"
#include "../sub_group.hpp"

namespace sycl::inline _V1::khr {

template <int Dimensions = 1>
class work_group {
public:
  using id_type = sycl::id<Dimensions>;
  using linear_id_type = std::size_t;
  using range_type = sycl::range<Dimensions>;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  work_group(const group<Dimensions>& group) noexcept : m_group(group) {}
  operator group<Dimensions>() const noexcept { return m_group; }

  id_type id() const noexcept { return m_group.get_group_id(); }
  linear_id_type linear_id() const noexcept { return m_group.get_group_linear_id(); }
  range_type range() const noexcept { return m_group.get_group_range(); }
  size_type size() const noexcept { return m_group.get_local_linear_range(); }

  friend bool operator==(const work_group& a, const work_group& b) noexcept { return a.m_group == b.m_group; }
  friend bool operator!=(const work_group& a, const work_group& b) noexcept { return !(a == b); }

private:
  group<Dimensions> m_group;
};

class sub_group {
public:
  using id_type = sycl::id<1>;
  using linear_id_type = std::uint32_t;
  using range_type = sycl::range<1>;
  using size_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group(const sycl::sub_group& group) noexcept : m_group(group) {}
  operator sycl::sub_group() const noexcept { return m_group; }

  id_type id() const noexcept { return m_group.get_group_id(); }
  linear_id_type linear_id() const noexcept { return m_group.get_group_linear_id(); }
  range_type range() const noexcept { return m_group.get_group_range(); }
  size_type size() const noexcept { return m_group.get_local_linear_range(); }
  /// If the kernel has the attribute reqd_sub_group_size, returns the size in the attribute.
  size_type max_size() const noexcept { return static_cast<size_type>(m_group.get_max_local_range().size()); }

  friend bool operator==(const sub_group& a, const sub_group& b) noexcept { return a.m_group == b.m_group; }
  friend bool operator!=(const sub_group& a, const sub_group& b) noexcept { return !(a == b); }

private:
  sycl::sub_group m_group;
};

template <class Group>
class member_item;
template <int Dimensions>
member_item<work_group<Dimensions>> get_member_item(const work_group<Dimensions>& group) noexcept;
member_item<sub_group> get_member_item(const sub_group& group) noexcept;

/// The calling work-item as a group that has one work-item. ParentGroup is the group to which the work-item belongs.
template <class ParentGroup>
class member_item {
public:
  using id_type = typename ParentGroup::id_type;
  using linear_id_type = typename ParentGroup::linear_id_type;
  using range_type = typename ParentGroup::range_type;
  using size_type = typename ParentGroup::size_type;
  static constexpr int dimensions = ParentGroup::dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_item;

  id_type id() const noexcept { return m_id; }
  linear_id_type linear_id() const noexcept {
    return static_cast<linear_id_type>(sycl::detail::linear_index(m_id, m_range));
  }
  range_type range() const noexcept { return m_range; }
  constexpr size_type size() const noexcept { return 1; }

  friend bool operator==(const member_item& a, const member_item& b) noexcept { return a.m_id == b.m_id; }
  friend bool operator!=(const member_item& a, const member_item& b) noexcept { return !(a == b); }

private:
  template <int Dimensions>
  friend member_item<work_group<Dimensions>> get_member_item(const work_group<Dimensions>& group) noexcept;
  friend member_item<sub_group> get_member_item(const sub_group& group) noexcept;
  member_item(const id_type& id, const range_type& range) noexcept : m_id(id), m_range(range) {}

  id_type m_id;
  range_type m_range;
};

template <int Dimensions>
SINTER_DEVICE_INLINE member_item<work_group<Dimensions>> get_member_item(const work_group<Dimensions>& group) noexcept {
  const sycl::group<Dimensions> whole = group;
  return {whole.get_local_id(), whole.get_local_range()};
}
SINTER_DEVICE_INLINE member_item<sub_group> get_member_item(const sub_group& group) noexcept {
  const sycl::sub_group whole = group;
  return {whole.get_local_id(), whole.get_local_range()};
}

/// Returns true only for the work-item with index 0.
template <int Dimensions>
bool leader_of(const work_group<Dimensions>& group) noexcept {
  return sycl::group<Dimensions>(group).leader();
}
inline bool leader_of(const sub_group& group) noexcept { return sycl::sub_group(group).leader(); }
template <class ParentGroup>
bool leader_of(const member_item<ParentGroup>&) noexcept {
  return true;
}

} // namespace sycl::khr
