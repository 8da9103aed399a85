#pragma once
/// The building blocks of group functions for parts of a sub-group (ext/oneapi/experimental/non_uniform_groups.hpp).
/// Values are exchanged within the whole sub-group, so all parts of the sub-group have to call these functions
/// together.

#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "../id.hpp"
#include "../memory_enums.hpp"
#include "../range.hpp"
#include "../sub_group.hpp"
#include "export.hpp"

namespace sycl::inline _V1::detail {

/// The part of the calling sub-group that has the work-items whose bits are set in `members`.
class sub_group_part {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  /// Returns the number of this part within the sub-group.
  id<1> get_group_id() const noexcept { return m_index; }
  id<1> get_local_id() const noexcept { return get_local_linear_id(); }
  range<1> get_group_range() const noexcept { return m_parts; }
  range<1> get_local_range() const noexcept { return get_local_linear_range(); }
  std::uint32_t get_group_linear_id() const noexcept { return m_index; }
  std::uint32_t get_local_linear_id() const noexcept {
    return static_cast<std::uint32_t>(__builtin_popcountll(m_members & below(__sinter_sub_group_local_id())));
  }
  std::uint32_t get_group_linear_range() const noexcept { return m_parts; }
  std::uint32_t get_local_linear_range() const noexcept {
    return static_cast<std::uint32_t>(__builtin_popcountll(m_members));
  }
  bool leader() const noexcept { return get_local_linear_id() == 0; }

protected:
  SINTER_DEVICE_INLINE sub_group_part(std::uint64_t members, std::uint32_t index, std::uint32_t parts) noexcept
      : m_members(members), m_index(index), m_parts(parts) {}

private:
  friend struct sub_group_part_access;
  static constexpr std::uint64_t below(std::uint32_t lane) noexcept {
    return lane < 64 ? (std::uint64_t{1} << lane) - 1 : ~std::uint64_t{0};
  }

  std::uint64_t m_members;
  std::uint32_t m_index, m_parts;
};

struct sub_group_part_access {
  static SINTER_DEVICE_INLINE std::uint64_t members(const sub_group_part& part) noexcept { return part.m_members; }
  /// Returns the local id, in the sub-group, of the part's member number `rank`. If the rank is too large, returns the
  /// last member's id.
  static SINTER_DEVICE_INLINE std::uint32_t lane(const sub_group_part& part, std::uint32_t rank) noexcept {
    std::uint64_t left = part.m_members;
    for (std::uint32_t i = 0; i < rank && (left & (left - 1)) != 0; ++i) left &= left - 1;
    return static_cast<std::uint32_t>(__builtin_ctzll(left));
  }
  static constexpr std::uint64_t below(std::uint32_t lane) noexcept { return sub_group_part::below(lane); }
};

template <class Part>
concept part_of_sub_group = std::is_base_of_v<sub_group_part, Part>;

template <part_of_sub_group Part, class T>
SINTER_DEVICE_INLINE T select_from_part(const Part& part, const T& value, std::uint32_t rank) {
  return sub_group_select(sub_group_access::current(), value, sub_group_part_access::lane(part, rank));
}
template <part_of_sub_group Part, class T>
SINTER_DEVICE_INLINE T broadcast(const Part& part, const T& value, std::uint32_t source) {
  return select_from_part(part, value, source);
}
template <part_of_sub_group Part>
SINTER_DEVICE_INLINE bool any_of(const Part& part, bool condition) {
  return (__sinter_sub_group_ballot(condition) & sub_group_part_access::members(part)) != 0;
}

/// Combines the values of this member and of all later members whose bits are set in `take`. Each member points to
/// another member, at first to the next one in `take`. In each step, a member combines its value with the value of the
/// member to which it points, and then points to the member to which that member pointed. The distance doubles in each
/// step.
template <part_of_sub_group Part, class T, class Operation>
SINTER_DEVICE_INLINE T fold_behind(const Part&, const T& value, const Operation& operation, std::uint64_t take) {
  constexpr std::uint32_t none = 64;
  const sub_group whole = sub_group_access::current();
  const std::uint32_t mine = whole.get_local_linear_id();
  const std::uint64_t behind = take & ~sub_group_part_access::below(mine + 1);
  std::uint32_t next = behind == 0 ? none : static_cast<std::uint32_t>(__builtin_ctzll(behind));
  T result = value;
  sub_group_steps([&](std::uint32_t) {
    const std::uint32_t from = next == none ? mine : next;
    const T other = sub_group_select(whole, result, from);
    const std::uint32_t after = sub_group_select(whole, next, from);
    if (next == none) return;
    result = static_cast<T>(operation(result, other));
    next = after;
  });
  return result;
}
/// Combines the values of this member and of all members before it.
template <part_of_sub_group Part, class T, class Operation>
SINTER_DEVICE_INLINE T inclusive_scan(const Part& part, const T& value, const Operation& operation) {
  constexpr std::uint32_t none = 64;
  const sub_group whole = sub_group_access::current();
  const std::uint32_t mine = whole.get_local_linear_id();
  const std::uint64_t before = sub_group_part_access::members(part) & sub_group_part_access::below(mine);
  std::uint32_t next = before == 0 ? none : 63u - static_cast<std::uint32_t>(__builtin_clzll(before));
  T result = value;
  sub_group_steps([&](std::uint32_t) {
    const std::uint32_t from = next == none ? mine : next;
    const T other = sub_group_select(whole, result, from);
    const std::uint32_t further = sub_group_select(whole, next, from);
    if (next == none) return;
    result = static_cast<T>(operation(other, result));
    next = further;
  });
  return result;
}
/// Combines the values of all members before this member. In the first member, the result is unspecified.
template <part_of_sub_group Part, class T, class Operation>
SINTER_DEVICE_INLINE T combine_before(const Part& part, const T& value, const Operation& operation) {
  const T sum = inclusive_scan(part, value, operation);
  const std::uint32_t rank = part.get_local_linear_id();
  return select_from_part(part, sum, rank == 0 ? 0 : rank - 1);
}
/// Combines the values of the first `parts` members.
template <part_of_sub_group Part, class T, class Operation>
SINTER_DEVICE_INLINE T fold(const Part& part, const T& value, const Operation& operation, std::size_t parts) {
  const std::uint64_t members = sub_group_part_access::members(part);
  const std::uint32_t count = part.get_local_linear_range();
  const std::uint64_t take =
      parts >= count ? members
                     : members & sub_group_part_access::below(
                                     sub_group_part_access::lane(part, static_cast<std::uint32_t>(parts)));
  return select_from_part(part, fold_behind(part, value, operation, take), 0);
}
template <part_of_sub_group Part, class T, class Operation>
SINTER_DEVICE_INLINE T fold(const Part& part, const T& value, const Operation& operation) {
  const std::uint64_t members = sub_group_part_access::members(part);
  return select_from_part(part, fold_behind(part, value, operation, members), 0);
}

}  // namespace sycl::detail
