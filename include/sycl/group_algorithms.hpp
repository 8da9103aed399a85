#pragma once
/// Group functions and algorithms (SYCL 2020 4.17.3, 4.17.4) for work-groups and sub-groups.
///
/// All work-items of the group have to call each function together. Within a sub-group, the values of neighbouring
/// work-items are combined first, then the results of neighbouring pairs, and so on. Then the results of sub-groups are
/// combined in order. So a floating-point result is the same in each run, but may differ between sub-group sizes. In
/// joint_reduce, work-item i of n combines the elements i, i + n, i + 2n and so on.

#include <cstddef>
#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "detail/group_slots.hpp"
#include "detail/mistake.hpp"
#include "detail/sub_group_parts.hpp"
#include "functional.hpp"
#include "group.hpp"
#include "sub_group.hpp"

/// DPC++'s names of scopes in SPIR-V. Programs use these names when they declare a group of their own (is_sub_group
/// below).
namespace __spv {
struct Scope {
  enum Flag : std::uint32_t { CrossDevice, Device, Workgroup, Subgroup, Invocation };
};
}  // namespace __spv

namespace sycl::inline _V1 {

namespace detail {
/// DPC++'s trait of sub-groups. Programs specialize it for their own class derived from sub_group (Ginkgo does). Group
/// functions then take objects of the class.
template <class T>
struct is_sub_group : std::false_type {};
template <>
struct is_sub_group<sub_group> : std::true_type {};
}  // namespace detail

template <class T>
struct is_group : detail::is_sub_group<T> {};
template <int Dimensions>
struct is_group<group<Dimensions>> : std::true_type {};
template <class T>
inline constexpr bool is_group_v = is_group<T>::value;

namespace detail {
template <class Operation, class T>
concept combines = requires(Operation operation, const T& value) { operation(value, value); };
}  // namespace detail

// ------------------------------------------------------------------------------------------------- exchange

/// Returns the value of the first work-item, or of work-item `source`. `source` must be the same in all work-items.
template <class Group, class T>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE T group_broadcast(Group group, const T& value, typename Group::linear_id_type source = 0) {
  return detail::broadcast(group, value, source);
}
template <class Group, class T>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE T group_broadcast(Group group, const T& value, typename Group::id_type source) {
  return detail::broadcast(
      group, value, static_cast<typename Group::linear_id_type>(detail::linear_index(source, group.get_local_range())));
}

/// Returns the value of the work-item that is `delta` after (left) or before (right) this work-item. If there is no
/// such work-item, the result is unspecified. Available for sub-groups only.
template <class T>
SINTER_DEVICE_INLINE T shift_group_left(sub_group group, const T& value, std::uint32_t delta = 1) {
  return detail::sub_group_select(group, value, group.get_local_linear_id() + delta);
}
template <class T>
SINTER_DEVICE_INLINE T shift_group_right(sub_group group, const T& value, std::uint32_t delta = 1) {
  return detail::sub_group_select(group, value, group.get_local_linear_id() - delta);
}
template <class T>
SINTER_DEVICE_INLINE T permute_group_by_xor(sub_group group, const T& value, std::uint32_t mask) {
  return detail::sub_group_select(group, value, group.get_local_linear_id() ^ mask);
}
template <class T>
SINTER_DEVICE_INLINE T select_from_group(sub_group group, const T& value, sub_group::id_type source) {
  return detail::sub_group_select(group, value, static_cast<std::uint32_t>(source));
}

// ------------------------------------------------------------------------------------------------- conditions

template <class Group>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE bool any_of_group(Group group, bool condition) {
  return detail::any_of(group, condition);
}
template <class Group>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE bool all_of_group(Group group, bool condition) {
  return !detail::any_of(group, !condition);
}
template <class Group>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE bool none_of_group(Group group, bool condition) {
  return !any_of_group(group, condition);
}

#define SINTER_GROUP_CONDITION(kind)                                                            \
  template <class Group, class T, class Predicate>                                              \
    requires(is_group_v<Group>)                                                                 \
  SINTER_DEVICE_INLINE bool kind##_of_group(Group group, const T& value, Predicate predicate) { \
    return kind##_of_group(group, static_cast<bool>(predicate(value)));                         \
  }
SINTER_GROUP_CONDITION(any)
SINTER_GROUP_CONDITION(all)
SINTER_GROUP_CONDITION(none)
#undef SINTER_GROUP_CONDITION

/// These functions return whether the predicate is true for any, all or none of the elements of [first, last).
template <class Group, class Pointer, class Predicate>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE bool joint_any_of(Group group, Pointer first, Pointer last, Predicate predicate) {
  const std::size_t size = detail::elements_between(first, last), step = group.get_local_linear_range();
  bool found = false;
  for (std::size_t i = group.get_local_linear_id(); i < size; i += step)
    found |= static_cast<bool>(predicate(first[i]));
  return any_of_group(group, found);
}
template <class Group, class Pointer, class Predicate>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE bool joint_all_of(Group group, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(group, first, last, [&](const auto& value) { return !predicate(value); });
}
template <class Group, class Pointer, class Predicate>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE bool joint_none_of(Group group, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(group, first, last, predicate);
}

// ------------------------------------------------------------------------------------------------- reductions

template <class Group, class T, class Operation>
  requires(is_group_v<Group> && detail::combines<Operation, T>)
SINTER_DEVICE_INLINE T reduce_over_group(Group group, const T& value, Operation operation) {
  return detail::fold(group, value, operation);
}
template <class Group, class Value, class T, class Operation>
  requires(is_group_v<Group> && detail::combines<Operation, T>)
SINTER_DEVICE_INLINE T reduce_over_group(Group group, const Value& value, const T& initial, Operation operation) {
  return static_cast<T>(operation(initial, detail::fold(group, static_cast<T>(value), operation)));
}

/// Combines `initial` and the elements of [first, last).
template <class Group, class Pointer, class T, class Operation>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE T joint_reduce(Group group, Pointer first, Pointer last, const T& initial, Operation operation) {
  const std::size_t size = detail::elements_between(first, last), step = group.get_local_linear_range();
  if (size == 0) return initial;  // `size` is the same in all work-items, so all of them return here
  const std::size_t mine = group.get_local_linear_id();
  T value = static_cast<T>(first[mine < size ? mine : 0]);
  for (std::size_t i = mine + step; i < size; i += step) value = static_cast<T>(operation(value, first[i]));
  return static_cast<T>(operation(initial, detail::fold(group, value, operation, size < step ? size : step)));
}
template <class Group, class Pointer, class Operation>
  requires(is_group_v<Group> && has_known_identity_v<Operation, detail::pointed_t<Pointer>>)
SINTER_DEVICE_INLINE auto joint_reduce(Group group, Pointer first, Pointer last, Operation operation) {
  using T = detail::pointed_t<Pointer>;
  return joint_reduce(group, first, last, T(known_identity_v<Operation, T>), operation);
}

// ------------------------------------------------------------------------------------------------- scans

/// Returns the combination of `initial` and the values of all work-items before this work-item.
template <class Group, class Value, class T, class Operation>
  requires(is_group_v<Group> && detail::combines<Operation, T>)
SINTER_DEVICE_INLINE T exclusive_scan_over_group(Group group, const Value& value, const T& initial,
                                                 Operation operation) {
  const T before = detail::combine_before(group, static_cast<T>(value), operation);
  return group.leader() ? initial : static_cast<T>(operation(initial, before));
}
template <class Group, class T, class Operation>
  requires(is_group_v<Group> && has_known_identity_v<Operation, T>)
SINTER_DEVICE_INLINE T exclusive_scan_over_group(Group group, const T& value, Operation operation) {
  return exclusive_scan_over_group(group, value, T(known_identity_v<Operation, T>), operation);
}
/// Returns the combination of the values of all work-items up to and including this work-item.
template <class Group, class T, class Operation>
  requires(is_group_v<Group> && detail::combines<Operation, T>)
SINTER_DEVICE_INLINE T inclusive_scan_over_group(Group group, const T& value, Operation operation) {
  return detail::inclusive_scan(group, value, operation);
}
template <class Group, class Value, class Operation, class T>
  requires(is_group_v<Group> && detail::combines<Operation, T>)
SINTER_DEVICE_INLINE T inclusive_scan_over_group(Group group, const Value& value, Operation operation,
                                                 const T& initial) {
  return static_cast<T>(operation(initial, detail::inclusive_scan(group, static_cast<T>(value), operation)));
}

/// Writes the scan of the elements of [first, last) to the memory at `result`, which may be the same memory. Scans
/// without an initial value compute in the type of the result's elements. The functions return the end of the result.
/// After the call, all work-items of the group may read the result.
template <class Group, class Input, class Output, class T, class Operation>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE Output joint_exclusive_scan(Group group, Input first, Input last, Output result, T initial,
                                                 Operation operation) {
  const detail::joint_part<T> part(group, first, last, operation);
  T value = part.first ? initial : static_cast<T>(operation(initial, part.before));
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const T next = static_cast<T>(operation(value, first[i]));
    result[i] = value;
    value = next;
  }
  group_barrier(group);
  return result + static_cast<std::ptrdiff_t>(part.size);
}
template <class Group, class Input, class Output, class Operation>
  requires(is_group_v<Group> && has_known_identity_v<Operation, detail::pointed_t<Output>>)
SINTER_DEVICE_INLINE Output joint_exclusive_scan(Group group, Input first, Input last, Output result,
                                                 Operation operation) {
  using T = detail::pointed_t<Output>;
  return joint_exclusive_scan(group, first, last, result, T(known_identity_v<Operation, T>), operation);
}
template <class Group, class Input, class Output, class Operation, class T>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE Output joint_inclusive_scan(Group group, Input first, Input last, Output result,
                                                 Operation operation, const T& initial) {
  const detail::joint_part<T> part(group, first, last, operation);
  T value = part.first ? initial : static_cast<T>(operation(initial, part.before));
  for (std::size_t i = part.begin; i < part.end; ++i) {
    value = static_cast<T>(operation(value, first[i]));
    result[i] = value;
  }
  group_barrier(group);
  return result + static_cast<std::ptrdiff_t>(part.size);
}
template <class Group, class Input, class Output, class Operation>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE Output joint_inclusive_scan(Group group, Input first, Input last, Output result,
                                                 Operation operation) {
  using T = detail::pointed_t<Output>;
  const detail::joint_part<T> part(group, first, last, operation);
  if (part.begin < part.end) {
    T value = part.first ? static_cast<T>(first[0]) : static_cast<T>(operation(part.before, first[part.begin]));
    result[part.begin] = value;
    for (std::size_t i = part.begin + 1; i < part.end; ++i) {
      value = static_cast<T>(operation(value, first[i]));
      result[i] = value;
    }
  }
  group_barrier(group);
  return result + static_cast<std::ptrdiff_t>(part.size);
}

// ------------------------------------------------------------------------------------------------- mistakes

#define SINTER_GROUP_MISTAKE(name, arguments)                                                              \
  template <class = void>                                                                                  \
  SINTER_MISTAKE(#name " takes a group, as item.get_group() or item.get_sub_group() give it, " arguments) \
  detail::mistake name(...) {                                                                              \
    return {};                                                                                             \
  }
SINTER_GROUP_MISTAKE(group_broadcast, "and a value, then perhaps whose")
SINTER_GROUP_MISTAKE(any_of_group, "and a condition, or a value and a predicate")
SINTER_GROUP_MISTAKE(all_of_group, "and a condition, or a value and a predicate")
SINTER_GROUP_MISTAKE(none_of_group, "and a condition, or a value and a predicate")
SINTER_GROUP_MISTAKE(joint_any_of, "two pointers, and a predicate")
SINTER_GROUP_MISTAKE(joint_all_of, "two pointers, and a predicate")
SINTER_GROUP_MISTAKE(joint_none_of, "two pointers, and a predicate")
SINTER_GROUP_MISTAKE(reduce_over_group, "a value, perhaps an initial one, and an operator such as sycl::plus<>()")
SINTER_GROUP_MISTAKE(joint_reduce, "two pointers, an initial value unless the operator's identity is known, and the "
                                   "operator")
SINTER_GROUP_MISTAKE(exclusive_scan_over_group, "a value, an initial one unless the operator's identity is known, and "
                                                "the operator")
SINTER_GROUP_MISTAKE(inclusive_scan_over_group, "a value, an operator, and perhaps an initial value behind it")
SINTER_GROUP_MISTAKE(joint_exclusive_scan, "two pointers, where to, an initial value unless the operator's identity is "
                                           "known, and the operator")
SINTER_GROUP_MISTAKE(joint_inclusive_scan, "two pointers, where to, an operator, and perhaps an initial value")
SINTER_GROUP_MISTAKE(group_barrier, "and perhaps a memory_scope; kernels over a range have no groups")
#undef SINTER_GROUP_MISTAKE
#define SINTER_SUB_GROUP_MISTAKE(name)                                                                           \
  template <class = void>                                                                                        \
  SINTER_MISTAKE(#name " takes a sub-group, as item.get_sub_group() gives it, a value, and which work-item it means") \
  detail::mistake name(...) {                                                                                    \
    return {};                                                                                                   \
  }
SINTER_SUB_GROUP_MISTAKE(shift_group_left)
SINTER_SUB_GROUP_MISTAKE(shift_group_right)
SINTER_SUB_GROUP_MISTAKE(permute_group_by_xor)
SINTER_SUB_GROUP_MISTAKE(select_from_group)
#undef SINTER_SUB_GROUP_MISTAKE

}  // namespace sycl
