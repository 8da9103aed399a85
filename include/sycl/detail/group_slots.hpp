#pragma once
/// Group scratch memory, through which the work-items of a group pass values to each other.
///
/// Work-items of the same sub-group pass values to each other directly, without this memory. The memory has a slot for
/// each sub-group and one slot for the whole group. A sub-group may write its own slot at any time, after an exchange
/// within the sub-group. Other sub-groups access the slot only between the two barriers of a group function. The
/// group's slot is written after the first barrier and read after the second barrier. So a group function may directly
/// follow another group function, without a barrier in between, even if some work-items run ahead. Operations that
/// commute also have a slot for each work-item. Each work-item writes its slot before a barrier, and the first
/// sub-group reads all slots after the barrier. Slots of different sizes don't overlap: the slots of C bytes (C is a
/// power of two) lie from byte 3 * C * (work-items + 1) to byte 6 * C * (work-items + 1) of the memory. On GPUs this
/// memory is local memory, which is scarce. Since a sub-group may be a single work-item, there are as many slots for
/// sub-groups as there are work-items. In groups of 64 work-items or more, the slots of sub-groups begin at the start
/// of a cache line. If the slots of sub-groups fill whole cache lines, the slots of work-items begin at the start of a
/// cache line, too. Otherwise, half of the vectors that are read from slots would lie in two cache lines.

#include <cstddef>
#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>
#include <utility>

#include "../bit_cast.hpp"
#include "../functional.hpp"
#include "../group.hpp"
#include "../is_device_copyable.hpp"
#include "../sub_group.hpp"
#include "export.hpp"

namespace sycl::inline _V1::detail {

template <class T>
class group_slots {
  static_assert(is_device_copyable_v<T>, "group functions exchange device-copyable values");
  // A constant instead of a function, because device code would repeat the function's loop at each use.
  static constexpr std::uint32_t slot_bytes = [] {
    std::uint32_t bytes = 1;
    while (bytes < sizeof(T)) bytes *= 2;
    return bytes;
  }();
  struct raw {
    alignas(T) unsigned char bytes[sizeof(T)];
  };

public:
  /// The memory has this many bytes for each work-item of a group, plus the same number.
  static constexpr std::uint32_t bytes_of_each = 6 * slot_bytes;

  explicit SINTER_DEVICE_INLINE group_slots(std::size_t count) noexcept {
    // A constant, so that the compiler can deduce the alignment of the slots.
    constexpr std::size_t least = 4 * slot_bytes < 64 ? 4 * slot_bytes : 64;
    m_slots = static_cast<char*>(__sinter_group_scratch(bytes_of_each)) +
              rounded_up((count + 1) * (3 * slot_bytes), count < 64 ? least : 64);
    m_of_items = count;
  }
  /// The number of the slot for the whole group.
  SINTER_DEVICE_INLINE std::size_t of_group() const noexcept { return 2 * m_of_items; }
  /// The number of the slot for the first work-item. The slots of the other work-items follow.
  SINTER_DEVICE_INLINE std::size_t of_items() const noexcept { return m_of_items; }
  // Copies bytes instead of assigning values: a slot holds values of different types at different times, and the
  // compiler might reorder typed accesses to it.
  SINTER_DEVICE_INLINE void store(std::size_t slot, const T& value) const noexcept {
    __builtin_memcpy(m_slots + slot * slot_bytes, &value, sizeof(T));
  }
  SINTER_DEVICE_INLINE T load(std::size_t slot) const noexcept {
    raw copy;
    __builtin_memcpy(&copy, m_slots + slot * slot_bytes, sizeof(T));
    return value_of_bytes<T>(copy);
  }

private:
  /// `value` rounded up to a multiple of `unit`, a power of two.
  static SINTER_DEVICE_INLINE std::size_t rounded_up(std::size_t value, std::size_t unit) noexcept {
    return (value + unit - 1) & ~(unit - 1);
  }

  char* m_slots;
  std::size_t m_of_items;
};

template <int Dimensions, class T>
SINTER_DEVICE_INLINE T broadcast(const group<Dimensions>& group, const T& value, std::size_t source) {
  struct piece {
    std::uint64_t words[2];
  };
  // Copies large values in parts of 16 bytes, because larger slots for all work-items of a large group would not fit
  // into the memory.
  if constexpr (sizeof(T) > sizeof(piece)) {
    struct raw {
      alignas(T) unsigned char bytes[sizeof(T)];
    } copy;
    __builtin_memcpy(&copy, &value, sizeof(T));
    for (std::size_t at = 0; at < sizeof(T); at += sizeof(piece)) {
      const std::size_t bytes = sizeof(T) - at < sizeof(piece) ? sizeof(T) - at : sizeof(piece);
      piece each{};
      __builtin_memcpy(&each, copy.bytes + at, bytes);
      each = broadcast(group, each, source);
      __builtin_memcpy(copy.bytes + at, &each, bytes);
    }
    return value_of_bytes<T>(copy);
  } else {
    const group_slots<T> slots(group.get_local_linear_range());
    group_barrier(group);
    if (group.get_local_linear_id() == source) slots.store(slots.of_group(), value);
    group_barrier(group);
    return slots.load(slots.of_group());
  }
}
template <class T>
SINTER_DEVICE_INLINE T broadcast(const sub_group& group, const T& value, std::uint32_t source) {
  return sub_group_select(group, value, source);
}

/// The number of sub-groups that contain the first `parts` work-items.
SINTER_DEVICE_INLINE std::size_t sub_groups_of(std::size_t parts) {
  const std::size_t size = __sinter_sub_group_size();
  return (parts + size - 1) / size;
}

/// Combines the `part` values of the first `sub_groups` sub-groups, in the order of the sub-groups. All work-items of a
/// sub-group pass the same `part`. In the first work-item of the group, the function calls take(result). The caller
/// needs a barrier before the next function that uses slots.
template <int Dimensions, class T, class Operation, class Take>
SINTER_DEVICE_INLINE void fold_for_leader(const group<Dimensions>& group, const T& part, const Operation& operation,
                                          std::size_t sub_groups, const Take& take) {
  const sub_group mine = sub_group_access::current();
  const group_slots<T> slots(group.get_local_linear_range());
  if (mine.leader()) slots.store(mine.get_group_linear_id(), part);
  group_barrier(group);
  if (mine.get_group_linear_id() != 0) return;
  const std::size_t lanes = mine.get_local_linear_range(), lane = mine.get_local_linear_id();
  // Reads this sub-group's value (`part`) from the slot, too, like the values of other sub-groups. If the variable
  // `part` were used here, the compiler would have to keep its value for all work-items across the barrier.
  const auto fold_from = [&](std::size_t first) {
    const std::size_t left = sub_groups - first, here = left < lanes ? left : lanes;
    const T value = slots.load(first + (lane < here ? lane : 0));
    return sub_group_fold(mine, value, operation, static_cast<std::uint32_t>(here));
  };
  T result = fold_from(0);
  for (std::size_t i = lanes; i < sub_groups; i += lanes) result = static_cast<T>(operation(result, fold_from(i)));
  if (mine.leader()) take(result);
}

/// Combines `value` of all work-items. The operation must be commutative, because each work-item of the first sub-group
/// first combines every n-th value (n: the size of the sub-group). In the first work-item of the group, the function
/// calls take(result).
template <int Dimensions, class T, class Operation, class Take>
SINTER_DEVICE_INLINE void fold_items_for_leader(const group<Dimensions>& group, const T& value,
                                                const Operation& operation, const Take& take) {
  const sub_group mine = sub_group_access::current();
  const std::size_t count = group.get_local_linear_range();
  const group_slots<T> slots(count);
  slots.store(slots.of_items() + group.get_local_linear_id(), value);
  group_barrier(group);
  if (mine.get_group_linear_id() != 0) return;
  const std::size_t lanes = mine.get_local_linear_range(), lane = mine.get_local_linear_id();
  const auto value_of = [&](std::size_t first) { return slots.load(slots.of_items() + first + lane); };
  const auto combine = [&](const T& left, const T& right) { return static_cast<T>(operation(left, right)); };
  T sum = value_of(0);
  std::size_t next = lanes;
  if (count >= 8 * lanes) {
    // Computes four sums at the same time, because operations of different sums need not wait for each other.
    T second = value_of(lanes), third = value_of(2 * lanes), fourth = value_of(3 * lanes);
    for (next = 4 * lanes; next + 4 * lanes <= count; next += 4 * lanes) {
      sum = combine(sum, value_of(next));
      second = combine(second, value_of(next + lanes));
      third = combine(third, value_of(next + 2 * lanes));
      fourth = combine(fourth, value_of(next + 3 * lanes));
    }
    sum = combine(combine(sum, second), combine(third, fourth));
  }
  for (; next + lanes <= count; next += lanes) sum = combine(sum, value_of(next));
  if (next < count && next + lane < count) sum = combine(sum, value_of(next));
  const T result = sub_group_fold(mine, sum, operation, static_cast<std::uint32_t>(lanes));
  if (mine.leader()) take(result);
}

template <int Dimensions, class T, class Operation>
SINTER_DEVICE_INLINE T fold_sub_groups(const group<Dimensions>& group, const T& part, const Operation& operation,
                                       std::size_t sub_groups) {
  const group_slots<T> slots(group.get_local_linear_range());
  fold_for_leader(group, part, operation, sub_groups, [&](const T& result) { slots.store(slots.of_group(), result); });
  group_barrier(group);
  return slots.load(slots.of_group());
}

/// Combines the values of the first `parts` work-items in their order, so operations need not be commutative.
template <int Dimensions, class T, class Operation>
SINTER_DEVICE_INLINE T fold(const group<Dimensions>& group, const T& value, const Operation& operation,
                            std::size_t parts) {
  const sub_group mine = sub_group_access::current();
  const std::size_t first = group.get_local_linear_id() - mine.get_local_linear_id();
  const std::size_t left = parts > first ? parts - first : 0, range = mine.get_local_linear_range();
  const T part = sub_group_fold(mine, value, operation, static_cast<std::uint32_t>(left < range ? left : range));
  return fold_sub_groups(group, part, operation, sub_groups_of(parts));
}
template <class T, class Operation>
SINTER_DEVICE_INLINE T fold(const sub_group& group, const T& value, const Operation& operation, std::size_t parts) {
  return sub_group_fold(group, value, operation, static_cast<std::uint32_t>(parts));
}
/// Wider sub-groups are those of GPUs.
inline constexpr std::uint32_t widest_cpu_sub_group = 16;

/// Combines the values of all work-items. This overload is faster than the general overload if the compiler knows how
/// many work-items a sub-group has.
template <int Dimensions, class T, class Operation>
SINTER_DEVICE_INLINE T fold(const group<Dimensions>& group, const T& value, const Operation& operation) {
  // With a known identity, the operation commutes. On the CPU, whose sub-groups are short, exchanges in each of them
  // take more instructions than adding them up as vectors. GPUs exchange fast.
  if constexpr (has_known_identity_v<Operation, T>) {
    if (__sinter_sub_group_size() <= widest_cpu_sub_group) {
      const group_slots<T> slots(group.get_local_linear_range());
      fold_items_for_leader(group, value, operation, [&](const T& whole) { slots.store(slots.of_group(), whole); });
      group_barrier(group);
      return slots.load(slots.of_group());
    }
  }
  const sub_group mine = sub_group_access::current();
  const T part = sub_group_fold(mine, value, operation, mine.get_local_linear_range());
  return fold_sub_groups(group, part, operation, mine.get_group_linear_range());
}
template <class T, class Operation>
SINTER_DEVICE_INLINE T fold(const sub_group& group, const T& value, const Operation& operation) {
  return sub_group_fold(group, value, operation, group.get_local_linear_range());
}

SINTER_DEVICE_INLINE bool any_of(const sub_group&, bool condition) { return __sinter_sub_group_ballot(condition) != 0; }
template <int Dimensions>
SINTER_DEVICE_INLINE bool any_of(const group<Dimensions>& group, bool condition) {
  const auto either = [](bool a, bool b) { return a || b; };
  return fold_sub_groups(group, any_of(sub_group_access::current(), condition), either,
                         sub_group_access::current().get_group_linear_range());
}

/// Combines the values of all sub-groups with a lower id than this sub-group. In the first sub-group, the result is
/// unspecified. `sum` is the combined value of this sub-group's work-items up to and including this work-item.
template <int Dimensions, class T, class Operation>
SINTER_DEVICE_INLINE T combine_sub_groups_before(const group<Dimensions>& group, const sub_group& mine, const T& sum,
                                                 const Operation& operation) {
  const group_slots<T> slots(group.get_local_linear_range());
  if (mine.get_local_linear_id() + 1 == mine.get_local_linear_range()) slots.store(mine.get_group_linear_id(), sum);
  group_barrier(group);
  if (group.leader()) {
    const std::size_t sub_groups = mine.get_group_linear_range();
    T before = slots.load(0);
    for (std::size_t i = 1; i < sub_groups; ++i) {
      const T next = slots.load(i);
      slots.store(i, before);
      before = static_cast<T>(operation(before, next));
    }
  }
  group_barrier(group);
  return slots.load(mine.get_group_linear_id());
}

/// Combines the values of all work-items with a lower id than this work-item. In the first work-item, the result is
/// unspecified.
template <int Dimensions, class T, class Operation>
SINTER_DEVICE_INLINE T combine_before(const group<Dimensions>& group, const T& value, const Operation& operation) {
  const sub_group mine = sub_group_access::current();
  const T sum = sub_group_scan(mine, value, operation);
  const T near = sub_group_select(mine, sum, mine.get_local_linear_id() - 1);
  const T far = combine_sub_groups_before(group, mine, sum, operation);
  if (mine.leader()) return far;
  return mine.get_group_linear_id() == 0 ? near : static_cast<T>(operation(far, near));
}
template <class T, class Operation>
SINTER_DEVICE_INLINE T combine_before(const sub_group& group, const T& value, const Operation& operation) {
  return sub_group_select(group, sub_group_scan(group, value, operation), group.get_local_linear_id() - 1);
}

/// Combines the values of all work-items up to and including this work-item.
template <int Dimensions, class T, class Operation>
SINTER_DEVICE_INLINE T inclusive_scan(const group<Dimensions>& group, const T& value, const Operation& operation) {
  const sub_group mine = sub_group_access::current();
  const T near = sub_group_scan(mine, value, operation);
  const T far = combine_sub_groups_before(group, mine, near, operation);
  return mine.get_group_linear_id() == 0 ? near : static_cast<T>(operation(far, near));
}
template <class T, class Operation>
SINTER_DEVICE_INLINE T inclusive_scan(const sub_group& group, const T& value, const Operation& operation) {
  return sub_group_scan(group, value, operation);
}

/// The type that a pointer or a multi_ptr points to.
template <class Pointer>
using pointed_t = std::remove_cvref_t<decltype(*std::declval<Pointer&>())>;
template <class Pointer>
SINTER_DEVICE_INLINE std::size_t elements_between(const Pointer& first, const Pointer& last) noexcept {
  if constexpr (std::is_pointer_v<Pointer>) {
    return static_cast<std::size_t>(last - first);
  } else {
    return static_cast<std::size_t>(last.get_raw() - first.get_raw());
  }
}

/// The elements [begin, end) of one work-item in a joint scan, and the combined value of all elements before `begin`.
template <class T>
struct joint_part {
  template <class Group, class Pointer, class Operation>
  SINTER_DEVICE_INLINE joint_part(const Group& group, const Pointer& from, const Pointer& to,
                                  const Operation& operation)
      : size(elements_between(from, to)), first(group.get_local_linear_id() == 0) {
    if (size == 0) return;  // `size` is equal in all work-items, so all work-items return before the barrier
    // oneDPL needs this barrier. Each of its work-items writes every n-th element (n: the number of work-items) just
    // before the scan, and assumes that the same work-item reads these elements in the scan. In Sinter's scan, a
    // work-item reads contiguous elements, which other work-items have written.
    group_barrier(group);
    const std::size_t count = group.get_local_linear_range(), mine = group.get_local_linear_id();
    const std::size_t length = (size + count - 1) / count;
    begin = mine * length < size ? mine * length : size;
    end = begin + length < size ? begin + length : size;
    T sum = static_cast<T>(from[begin < end ? begin : 0]);
    for (std::size_t i = begin + 1; i < end; ++i) sum = static_cast<T>(operation(sum, from[i]));
    before = combine_before(group, sum, operation);
  }

  std::size_t size, begin = 0, end = 0;
  bool first;
  T before{};  ///< unspecified in the first work-item
};

}  // namespace sycl::detail
