#pragma once
/// sycl_ext_oneapi_group_sort: the work-items of a group together sort an array in memory, or the values that they
/// hold. A bitonic sorting network sorts N values with O(N log(N) log(N)) comparisons. The order of equal values may
/// change.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "../../../detail/export.hpp"
#include "../../../group_algorithms.hpp"
#include "group_helpers.hpp"

#define SYCL_EXT_ONEAPI_GROUP_SORT 1

namespace sycl::inline _V1::detail {

struct sort_less {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};

/// Calls exchange(i, j) for indices i < j < `count` until all values are in order. Every exchange moves the larger
/// value to the larger index. The network works for a number of values that is a power of two. If `count` is not a
/// power of two, the missing values count as the largest possible values. Such values would never move, so they need no
/// memory.
template <class Group, class Exchange>
SINTER_DEVICE_INLINE void sort_places(const Group& group, std::size_t count, const Exchange& exchange) {
  const std::size_t step = group.get_local_linear_range(), mine = group.get_local_linear_id();
  const auto pass = [&](std::size_t mask) {
    for (std::size_t i = mine; i < count; i += step) {
      const std::size_t other = i ^ mask;
      if (other > i && other < count) exchange(i, other);
    }
    group_barrier(group);
  };
  for (std::size_t block = 2; block < 2 * count; block *= 2) {
    pass(block - 1);
    for (std::size_t distance = block / 4; distance > 0; distance /= 2) pass(distance);
  }
}

template <class T>
SINTER_DEVICE_INLINE T* aligned_scratch(std::byte* memory) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return reinterpret_cast<T*>(memory + (alignof(T) - address % alignof(T)) % alignof(T));
}

/// Sorts the values of all work-items together; each work-item has `each` values. The first work-item receives the
/// smallest values, and so on.
template <class Group, class T, class Compare>
SINTER_DEVICE_INLINE void sort_values(const Group& group, std::byte* memory, T* values, std::size_t each,
                                      Compare compare) {
  T* const all = aligned_scratch<T>(memory);
  const std::size_t mine = group.get_local_linear_id() * each;
  group_barrier(group);  // work-items may still use the scratch memory of an earlier call
  for (std::size_t i = 0; i < each; ++i) all[mine + i] = values[i];
  group_barrier(group);
  sort_places(group, group.get_local_linear_range() * each, [&](std::size_t i, std::size_t j) {
    const T a = all[i], b = all[j];
    if (compare(b, a)) all[i] = b, all[j] = a;
  });
  for (std::size_t i = 0; i < each; ++i) values[i] = all[mine + i];
}

template <class Key, class Value>
struct sorted_pair {
  Key key;
  Value value;
};

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Sorters are function objects for joint_sort and similar functions.
namespace default_sorters {

template <class Compare = detail::sort_less>
class joint_sorter {
public:
  template <std::size_t Extent>
  joint_sorter(sycl::span<std::byte, Extent>, Compare compare = {}) : m_compare(compare) {}
  template <class Group, class Pointer>
  SINTER_DEVICE_INLINE void operator()(Group group, Pointer first, Pointer last) {
    const std::size_t count = detail::elements_between(first, last);
    group_barrier(group);
    detail::sort_places(group, count, [&](std::size_t i, std::size_t j) {
      const auto a = first[i], b = first[j];
      if (m_compare(b, a)) first[i] = b, first[j] = a;
    });
  }
  /// Returns the number of bytes of scratch memory to pass. The sorter does not use this memory, because it sorts in
  /// place.
  template <class T>
  static std::size_t memory_required(memory_scope, std::size_t) {
    return sizeof(T);
  }

private:
  Compare m_compare;
};

template <class T, class Compare = detail::sort_less, std::size_t ElementsPerWorkItem = 1>
class group_sorter {
public:
  template <std::size_t Extent>
  group_sorter(sycl::span<std::byte, Extent> scratch, Compare compare = {})
      : m_memory(scratch.data()), m_compare(compare) {}
  template <class Group>
  SINTER_DEVICE_INLINE T operator()(Group group, T value) {
    detail::sort_values(group, m_memory, &value, 1, m_compare);
    return value;
  }
  template <class Group, std::size_t Elements>
  SINTER_DEVICE_INLINE void operator()(Group group, sycl::span<T, Elements> values) {
    detail::sort_values(group, m_memory, values.data(), Elements, m_compare);
  }
  /// Returns the number of bytes of scratch memory that a group of `work_items` work-items needs.
  static constexpr std::size_t memory_required(memory_scope, std::size_t work_items) {
    return work_items * ElementsPerWorkItem * sizeof(T) + alignof(T) - 1;
  }

private:
  std::byte* m_memory;
  Compare m_compare;
};

template <class Key, class Value, class Compare = detail::sort_less, std::size_t ElementsPerWorkItem = 1>
class group_key_value_sorter {
  using pair = detail::sorted_pair<Key, Value>;

public:
  template <std::size_t Extent>
  group_key_value_sorter(sycl::span<std::byte, Extent> scratch, Compare compare = {})
      : m_memory(scratch.data()), m_compare(compare) {}
  template <class Group>
  SINTER_DEVICE_INLINE std::tuple<Key, Value> operator()(Group group, Key key, Value value) {
    pair mine{key, value};
    detail::sort_values(group, m_memory, &mine, 1, by_key());
    return {mine.key, mine.value};
  }
  template <class Group, std::size_t Elements>
  SINTER_DEVICE_INLINE void operator()(Group group, sycl::span<Key, Elements> keys,
                                       sycl::span<Value, Elements> values) {
    pair mine[Elements];
    for (std::size_t i = 0; i < Elements; ++i) mine[i] = {keys[i], values[i]};
    detail::sort_values(group, m_memory, mine, Elements, by_key());
    for (std::size_t i = 0; i < Elements; ++i) keys[i] = mine[i].key, values[i] = mine[i].value;
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t work_items) {
    return work_items * ElementsPerWorkItem * sizeof(pair) + alignof(pair) - 1;
  }

private:
  SINTER_DEVICE_INLINE auto by_key() const {
    return [compare = m_compare](const pair& a, const pair& b) { return compare(a.key, b.key); };
  }
  std::byte* m_memory;
  Compare m_compare;
};

}  // namespace default_sorters

/// Sorts [first, last). `compare` is a comparison or a sorter; the default comparison is `<`. All work-items have to
/// pass the same range.
template <class Helper, class Pointer, class Compare = detail::sort_less>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE void joint_sort(Helper helper, Pointer first, Pointer last, Compare compare = {}) {
  default_sorters::joint_sorter<Compare>(helper.get_memory(), compare)(helper.get_group(), first, last);
}
template <class Group, class Pointer, class Sorter>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE void joint_sort(Group group, Pointer first, Pointer last, Sorter sorter) {
  sorter(group, first, last);
}

/// Work-item i of the group receives value number i of the sorted order.
template <class Helper, class T, class Compare = detail::sort_less>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE T sort_over_group(Helper helper, T value, Compare compare = {}) {
  return default_sorters::group_sorter<T, Compare>(helper.get_memory(), compare)(helper.get_group(), value);
}
template <class Group, class T, class Sorter>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE T sort_over_group(Group group, T value, Sorter sorter) {
  return sorter(group, value);
}
/// Each work-item has several values. After the sort, the first work-item has the smallest values, the second the next
/// ones, and so on.
template <class Helper, class T, std::size_t Elements, class Compare = detail::sort_less>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE void sort_over_group(Helper helper, sycl::span<T, Elements> values, Compare compare = {}) {
  default_sorters::group_sorter<T, Compare, Elements>(helper.get_memory(), compare)(helper.get_group(), values);
}
template <class Group, class T, std::size_t Elements, class Sorter>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE void sort_over_group(Group group, sycl::span<T, Elements> values, Sorter sorter) {
  sorter(group, values);
}

/// Sorts keys, and moves each value together with its key.
template <class Helper, class Key, class Value, class Compare = detail::sort_less>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE std::tuple<Key, Value> sort_key_value_over_group(Helper helper, Key key, Value value,
                                                                      Compare compare = {}) {
  return default_sorters::group_key_value_sorter<Key, Value, Compare>(helper.get_memory(),
                                                                      compare)(helper.get_group(), key, value);
}
template <class Group, class Key, class Value, class Sorter>
  requires(is_group_v<Group>)
SINTER_DEVICE_INLINE std::tuple<Key, Value> sort_key_value_over_group(Group group, Key key, Value value,
                                                                      Sorter sorter) {
  return sorter(group, key, value);
}
template <class Helper, class Key, class Value, std::size_t Elements, class Compare = detail::sort_less>
  requires(is_group_helper_v<Helper>)
SINTER_DEVICE_INLINE void sort_key_value_over_group(Helper helper, sycl::span<Key, Elements> keys,
                                                    sycl::span<Value, Elements> values, Compare compare = {}) {
  default_sorters::group_key_value_sorter<Key, Value, Compare, Elements>(helper.get_memory(),
                                                                         compare)(helper.get_group(), keys, values);
}

}  // namespace sycl::ext::oneapi::experimental
