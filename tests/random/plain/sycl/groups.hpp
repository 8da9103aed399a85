#pragma once
/// Plain SYCL: work-items, groups and operations of groups.

#include <cstring>
#include <limits>

#include "running.hpp"

namespace sycl {

enum class memory_scope { work_item, sub_group, work_group, device, system };
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
namespace access {
enum class address_space { global_space, local_space, private_space, generic_space };
enum class decorated { no, yes };
}  // namespace access

struct sub_group {
  std::size_t mine = plain::state.running;
  std::size_t first() const { return mine / plain::state.sub_group_size * plain::state.sub_group_size; }
  std::uint32_t get_local_linear_id() const { return static_cast<std::uint32_t>(mine - first()); }
  id<1> get_local_id() const { return get_local_linear_id(); }
  std::uint32_t get_local_linear_range() const { return static_cast<std::uint32_t>(where().members); }
  std::uint32_t get_group_linear_id() const { return static_cast<std::uint32_t>(mine / plain::state.sub_group_size); }
  std::uint32_t get_group_linear_range() const { return static_cast<std::uint32_t>(plain::state.sub_groups.size()); }
  range<1> get_max_local_range() const { return plain::state.sub_group_size; }
  bool leader() const { return mine == first(); }
  plain::meeting& where() const { return plain::state.sub_groups[get_group_linear_id()]; }
};
template <int D>
struct group {
  id<D> m_group, m_local;
  range<D> m_groups, m_size;
  std::size_t first() const { return 0; }
  std::size_t get_group_id(int d) const { return m_group[d]; }
  std::size_t get_group_linear_id() const { return linear(m_group, m_groups); }
  std::size_t get_local_linear_id() const { return linear(m_local, m_size); }
  std::size_t get_local_linear_range() const { return m_size.size(); }
  bool leader() const { return get_local_linear_id() == 0; }
  plain::meeting& where() const { return plain::state.all; }
};
template <int D>
struct nd_item {
  group<D> m_group;
  sycl::group<D> get_group() const { return m_group; }
  std::size_t get_group(int d) const { return m_group.m_group[d]; }
  sub_group get_sub_group() const { return {}; }
  std::size_t get_global_id(int d) const { return m_group.m_group[d] * m_group.m_size[d] + m_group.m_local[d]; }
  std::size_t get_local_id(int d) const { return m_group.m_local[d]; }
  std::size_t get_local_linear_id() const { return m_group.get_local_linear_id(); }
  std::size_t get_group_linear_id() const { return m_group.get_group_linear_id(); }
  std::size_t get_local_range(int d) const { return m_group.m_size[d]; }
  std::size_t get_group_range(int d) const { return m_group.m_groups[d]; }
  std::size_t get_global_range(int d) const { return m_group.m_size[d] * m_group.m_groups[d]; }
  std::size_t get_global_linear_id() const {
    std::size_t all = 0;
    for (int d = 0; d < D; ++d) all = all * get_global_range(d) + get_global_id(d);
    return all;
  }
};
template <int D>
struct item {
  id<D> m_id;
  range<D> m_range;
  std::size_t get_id(int d) const { return m_id[d]; }
  std::size_t operator[](int d) const { return m_id[d]; }
  std::size_t get_range(int d) const { return m_range[d]; }
  std::size_t get_linear_id() const { return linear(m_id, m_range); }
};

template <class Group>
void group_barrier(Group where, memory_scope = memory_scope::work_group) {
  plain::meet(where.where());
}

template <class T = void>
struct plus { template <class A> A operator()(A a, A b) const { return static_cast<A>(a + b); } };
template <class T = void>
struct multiplies { template <class A> A operator()(A a, A b) const { return static_cast<A>(a * b); } };
template <class T = void>
struct minimum { template <class A> A operator()(A a, A b) const { return b < a ? b : a; } };
template <class T = void>
struct maximum { template <class A> A operator()(A a, A b) const { return a < b ? b : a; } };
template <class T = void>
struct bit_and { template <class A> A operator()(A a, A b) const { return static_cast<A>(a & b); } };
template <class T = void>
struct bit_or { template <class A> A operator()(A a, A b) const { return static_cast<A>(a | b); } };
template <class T = void>
struct bit_xor { template <class A> A operator()(A a, A b) const { return static_cast<A>(a ^ b); } };

namespace plain {
template <class T> T neutral(plus<T>) { return 0; }
template <class T> T neutral(multiplies<T>) { return 1; }
template <class T> T neutral(minimum<T>) { return std::numeric_limits<T>::max(); }
template <class T> T neutral(maximum<T>) { return std::numeric_limits<T>::lowest(); }
template <class T> T neutral(bit_and<T>) { return static_cast<T>(~T(0)); }
template <class T> T neutral(bit_or<T>) { return 0; }
template <class T> T neutral(bit_xor<T>) { return 0; }

/// Calls `use` with a function that returns the value of each work-item of the group.
template <class Group, class T, class Use>
auto together(Group where, const T& value, Use use) {
  static_assert(sizeof(T) <= 64);
  std::memcpy(state.mail[state.running].data(), &value, sizeof(T));
  meet(where.where());
  auto result = use([&](std::size_t i) {
    T one;
    std::memcpy(&one, state.mail[where.first() + i].data(), sizeof(T));
    return one;
  });
  meet(where.where());
  return result;
}
}  // namespace plain

template <class Group, class T, class Op>
T reduce_over_group(Group where, T value, Op op) {
  return plain::together(where, value, [&](auto at) {
    T all = at(0);
    for (std::size_t i = 1; i < where.get_local_linear_range(); ++i) all = op(all, at(i));
    return all;
  });
}
template <class Group, class T, class Op>
T inclusive_scan_over_group(Group where, T value, Op op) {
  return plain::together(where, value, [&](auto at) {
    T all = at(0);
    for (std::size_t i = 1; i <= where.get_local_linear_id(); ++i) all = op(all, at(i));
    return all;
  });
}
template <class Group, class T, class Op>
T exclusive_scan_over_group(Group where, T value, T initial, Op op) {
  return plain::together(where, value, [&](auto at) {
    T all = initial;
    for (std::size_t i = 0; i < where.get_local_linear_id(); ++i) all = op(all, at(i));
    return all;
  });
}
template <class Group>
bool any_of_group(Group where, bool value) {
  return reduce_over_group(where, static_cast<int>(value), bit_or<>()) != 0;
}
template <class Group>
bool all_of_group(Group where, bool value) {
  return reduce_over_group(where, static_cast<int>(value), bit_and<>()) != 0;
}
template <class Group>
bool none_of_group(Group where, bool value) {
  return !any_of_group(where, value);
}
// Algorithms over memory: each work-item computes the result by itself. All work-items read before any work-item
// continues.
template <class Group, class T, class Op>
T joint_reduce(Group where, const T* first, const T* last, T initial, Op op) {
  T all = initial;
  for (; first != last; ++first) all = op(all, *first);
  group_barrier(where);
  return all;
}
template <class Group, class T, class Op>
T joint_reduce(Group where, const T* first, const T* last, Op op) {
  if (first == last) return joint_reduce(where, first, last, plain::neutral<T>(op), op);
  return joint_reduce(where, first + 1, last, *first, op);
}
template <class Group, class T, class Test>
bool joint_any_of(Group where, const T* first, const T* last, Test test) {
  bool any = false;
  for (; first != last; ++first) any |= test(*first);
  group_barrier(where);
  return any;
}
template <class Group, class T, class Test>
bool joint_none_of(Group where, const T* first, const T* last, Test test) {
  return !joint_any_of(where, first, last, test);
}
template <class Group, class T, class Test>
bool joint_all_of(Group where, const T* first, const T* last, Test test) {
  return joint_none_of(where, first, last, [&](const T& one) { return !test(one); });
}
template <class Group, class T, class Op>
T* joint_exclusive_scan(Group where, const T* first, const T* last, T* result, T initial, Op op, bool own = false) {
  group_barrier(where);
  T all = initial;
  for (; where.leader() && first != last; ++first) {
    const T next = op(all, *first);
    *result++ = own ? next : all;
    all = next;
  }
  group_barrier(where);
  return result;
}
template <class Group, class T, class Op>
T* joint_inclusive_scan(Group where, const T* first, const T* last, T* result, Op op) {
  return joint_exclusive_scan(where, first, last, result, plain::neutral<T>(op), op, true);
}
template <class Group, class T>
T group_broadcast(Group where, T value, std::size_t source = 0) {
  return plain::together(where, value, [&](auto at) { return at(source); });
}
template <class T>
T select_from_group(sub_group where, T value, std::size_t source) {
  return plain::together(where, value, [&](auto at) { return source < where.where().members ? at(source) : T(); });
}
template <class T>
T shift_group_left(sub_group where, T value, std::uint32_t by = 1) {
  return select_from_group(where, value, where.get_local_linear_id() + by);
}
template <class T>
T shift_group_right(sub_group where, T value, std::uint32_t by = 1) {
  return select_from_group(where, value, std::size_t{where.get_local_linear_id()} - by);
}
template <class T>
T permute_group_by_xor(sub_group where, T value, std::uint32_t mask) {
  return select_from_group(where, value, where.get_local_linear_id() ^ mask);
}

}  // namespace sycl
