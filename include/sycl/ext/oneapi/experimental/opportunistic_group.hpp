#pragma once
/// opportunistic_group of sycl_ext_oneapi_non_uniform_groups: a group of some of the work-items that reach the call
/// together. The implementation chooses which work-items are members. In Sinter, each work-item is a group of its own.
/// non_uniform_groups.hpp has the extension's other groups.

#include <cstdint>

#include "../../../functional.hpp"
#include "../../../group_algorithms.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

class opportunistic_group;
namespace this_kernel {
opportunistic_group get_opportunistic_group() noexcept;
}

class opportunistic_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id<1> get_group_id() const noexcept { return 0; }
  id<1> get_local_id() const noexcept { return 0; }
  range<1> get_group_range() const noexcept { return 1; }
  range<1> get_local_range() const noexcept { return 1; }
  std::uint32_t get_group_linear_id() const noexcept { return 0; }
  std::uint32_t get_local_linear_id() const noexcept { return 0; }
  std::uint32_t get_group_linear_range() const noexcept { return 1; }
  std::uint32_t get_local_linear_range() const noexcept { return 1; }
  bool leader() const noexcept { return true; }

private:
  friend opportunistic_group this_kernel::get_opportunistic_group() noexcept;
  opportunistic_group() = default;
};

namespace this_kernel {
SINTER_DEVICE_INLINE opportunistic_group get_opportunistic_group() noexcept { return {}; }
}  // namespace this_kernel

/// Whether T is a group with fixed topology: true for the work-groups and sub-groups of a launch, false for groups that
/// kernels construct.
template <class T>
struct is_fixed_topology_group : std::bool_constant<is_group_v<T> && !std::is_same_v<T, opportunistic_group>> {};
template <class T>
inline constexpr bool is_fixed_topology_group_v = is_fixed_topology_group<T>::value;
template <class T>
struct is_user_constructed_group : std::is_same<T, opportunistic_group> {};
template <class T>
inline constexpr bool is_user_constructed_group_v = is_user_constructed_group<T>::value;

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1 {

template <>
struct is_group<ext::oneapi::experimental::opportunistic_group> : std::true_type {};

namespace detail {
using group_of_one = ext::oneapi::experimental::opportunistic_group;
}

SINTER_DEVICE_INLINE void group_barrier(detail::group_of_one, memory_scope = memory_scope::sub_group) noexcept {}
template <class T>
SINTER_DEVICE_INLINE T group_broadcast(detail::group_of_one, const T& value, std::uint32_t = 0) {
  return value;
}
template <class T>
SINTER_DEVICE_INLINE T group_broadcast(detail::group_of_one, const T& value, id<1>) {
  return value;
}
// The extension leaves it unspecified which value a work-item gets from work-items outside of its group. The group has
// only one work-item, so these functions return the work-item's own value.
template <class T>
SINTER_DEVICE_INLINE T shift_group_left(detail::group_of_one, const T& value, std::uint32_t = 1) {
  return value;
}
template <class T>
SINTER_DEVICE_INLINE T shift_group_right(detail::group_of_one, const T& value, std::uint32_t = 1) {
  return value;
}
template <class T>
SINTER_DEVICE_INLINE T permute_group_by_xor(detail::group_of_one, const T& value, std::uint32_t) {
  return value;
}
template <class T>
SINTER_DEVICE_INLINE T select_from_group(detail::group_of_one, const T& value, id<1>) {
  return value;
}

#define SINTER_GROUP_OF_ONE_CONDITION(name, sign)                                                              \
  SINTER_DEVICE_INLINE bool name##_of_group(detail::group_of_one, bool condition) { return sign condition; }  \
  template <class T, class Predicate>                                                                          \
  SINTER_DEVICE_INLINE bool name##_of_group(detail::group_of_one, const T& value, Predicate predicate) {      \
    return sign predicate(value);                                                                              \
  }
SINTER_GROUP_OF_ONE_CONDITION(any, )
SINTER_GROUP_OF_ONE_CONDITION(all, )
SINTER_GROUP_OF_ONE_CONDITION(none, !)
#undef SINTER_GROUP_OF_ONE_CONDITION
template <class Pointer, class Predicate>
SINTER_DEVICE_INLINE bool joint_any_of(detail::group_of_one, Pointer first, Pointer last, Predicate predicate) {
  bool found = false;
  for (; first != last; ++first) found |= static_cast<bool>(predicate(*first));
  return found;
}
template <class Pointer, class Predicate>
SINTER_DEVICE_INLINE bool joint_all_of(detail::group_of_one, Pointer first, Pointer last, Predicate predicate) {
  bool all = true;
  for (; first != last; ++first) all &= static_cast<bool>(predicate(*first));
  return all;
}
template <class Pointer, class Predicate>
SINTER_DEVICE_INLINE bool joint_none_of(detail::group_of_one group, Pointer first, Pointer last,
                                        Predicate predicate) {
  return !joint_any_of(group, first, last, predicate);
}

template <class T, class Operation>
SINTER_DEVICE_INLINE T reduce_over_group(detail::group_of_one, const T& value, Operation) {
  return value;
}
template <class Value, class T, class Operation>
SINTER_DEVICE_INLINE T reduce_over_group(detail::group_of_one, const Value& value, const T& initial,
                                         Operation operation) {
  return static_cast<T>(operation(initial, static_cast<T>(value)));
}
template <class T, class Operation>
SINTER_DEVICE_INLINE T inclusive_scan_over_group(detail::group_of_one, const T& value, Operation) {
  return value;
}
template <class Value, class T, class Operation>
SINTER_DEVICE_INLINE T inclusive_scan_over_group(detail::group_of_one, const Value& value, Operation operation,
                                                 const T& initial) {
  return static_cast<T>(operation(initial, static_cast<T>(value)));
}
template <class T, class Operation>
SINTER_DEVICE_INLINE T exclusive_scan_over_group(detail::group_of_one, const T&, Operation) {
  return known_identity_v<Operation, T>;
}
template <class Value, class T, class Operation>
SINTER_DEVICE_INLINE T exclusive_scan_over_group(detail::group_of_one, const Value&, const T& initial, Operation) {
  return initial;
}
template <class Pointer, class T, class Operation>
SINTER_DEVICE_INLINE T joint_reduce(detail::group_of_one, Pointer first, Pointer last, const T& initial,
                                    Operation operation) {
  T result = initial;
  for (; first != last; ++first) result = static_cast<T>(operation(result, *first));
  return result;
}
template <class Pointer, class Operation>
  requires(has_known_identity_v<Operation, detail::pointed_t<Pointer>>)
SINTER_DEVICE_INLINE auto joint_reduce(detail::group_of_one group, Pointer first, Pointer last, Operation operation) {
  using T = detail::pointed_t<Pointer>;
  return joint_reduce(group, first, last, T(known_identity_v<Operation, T>), operation);
}
template <class Input, class Output, class T, class Operation>
SINTER_DEVICE_INLINE Output joint_exclusive_scan(detail::group_of_one, Input first, Input last, Output result,
                                                 T initial, Operation operation) {
  for (; first != last; ++first, ++result) {
    const T next = static_cast<T>(operation(initial, *first));
    *result = initial;
    initial = next;
  }
  return result;
}
template <class Input, class Output, class Operation>
  requires(has_known_identity_v<Operation, detail::pointed_t<Output>>)
SINTER_DEVICE_INLINE Output joint_exclusive_scan(detail::group_of_one group, Input first, Input last, Output result,
                                                 Operation operation) {
  using T = detail::pointed_t<Output>;
  return joint_exclusive_scan(group, first, last, result, T(known_identity_v<Operation, T>), operation);
}
template <class Input, class Output, class Operation, class T>
SINTER_DEVICE_INLINE Output joint_inclusive_scan(detail::group_of_one, Input first, Input last, Output result,
                                                 Operation operation, T initial) {
  for (; first != last; ++first, ++result) {
    initial = static_cast<T>(operation(initial, *first));
    *result = initial;
  }
  return result;
}
template <class Input, class Output, class Operation>
SINTER_DEVICE_INLINE Output joint_inclusive_scan(detail::group_of_one group, Input first, Input last, Output result,
                                                 Operation operation) {
  if (first == last) return result;
  const detail::pointed_t<Output> initial = *first;
  *result = initial;
  return joint_inclusive_scan(group, ++first, last, ++result, operation, initial);
}

}  // namespace sycl
