#pragma once
/// sycl_ext_oneapi_local_memory: memory that the work-items of a group share, and that the kernel requests itself.
///
/// Each call in the source code has one object. If a kernel reaches a call again, in a loop or because a function is
/// called twice, the call returns the same object. The call must be made by all work-items of the group or by none.

#include <cstdint>
#include <new>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "../../detail/export.hpp"
#include "../../group.hpp"
#include "../../multi_ptr.hpp"

#define SYCL_EXT_ONEAPI_LOCAL_MEMORY 2

namespace sycl::inline _V1 {
namespace detail {

template <class Here>
static constexpr char group_variable_key = 0;

template <class>
inline constexpr bool is_work_group = false;
template <int Dimensions>
inline constexpr bool is_work_group<group<Dimensions>> = true;

/// Returns uninitialised memory for a T. `Here` is a type that identifies a call in the source code. All calls with the
/// same `Here` return the same memory.
template <class T, class Group, class Here>
SINTER_DEVICE_INLINE T* group_variable() noexcept {
  static_assert(is_work_group<Group>, "group_local_memory is shared by a work-group: pass nd_item::get_group()");
  static_assert(std::is_trivially_destructible_v<T>, "nobody destroys what group_local_memory makes");
  static_assert(sizeof(T) <= 0x7fffffff && alignof(T) <= 4096, "no device has so much local memory");
  return static_cast<T*>(__sinter_group_variable(&group_variable_key<Here>, sizeof(T), alignof(T)));
}

/// Calls make(address of an element) for each element. The elements are distributed over the work-items of the group.
template <class T, class Group, class Make>
SINTER_DEVICE_INLINE void make_elements(const Group& group, T* memory, const Make& make) {
  using element = std::remove_all_extents_t<T>;
  auto* const first = reinterpret_cast<element*>(memory);
  const std::size_t step = group.get_local_linear_range();
  for (std::size_t i = group.get_local_linear_id(); i < sizeof(T) / sizeof(element); i += step) make(first + i);
}

}  // namespace detail

namespace ext::oneapi {

/// Returns an object that is constructed from the arguments, which must be equal in all work-items. Without arguments,
/// the object is value-initialised. If the kernel reaches the same call again, the call initialises the object again.
template <class T, class Group, class... Arguments, class Here = decltype([] {})>
SINTER_DEVICE_INLINE multi_ptr<T, access::address_space::local_space> group_local_memory(Group group,
                                                                                        Arguments&&... arguments) {
  T* const memory = detail::group_variable<T, Group, Here>();
  group_barrier(group);  // work-items may still use the old object
  if constexpr (sizeof...(Arguments) == 0) {
    using element = std::remove_cv_t<std::remove_all_extents_t<T>>;
    detail::make_elements(group, memory, [](auto* place) { ::new (const_cast<element*>(place)) element(); });
  } else if (group.leader()) {
    using object = std::remove_cv_t<T>;
    if constexpr (std::is_array_v<T>) {
      ::new (const_cast<object*>(memory)) object{static_cast<Arguments&&>(arguments)...};
    } else {
      ::new (const_cast<object*>(memory)) object(static_cast<Arguments&&>(arguments)...);
    }
  }
  group_barrier(group);
  return multi_ptr<T, access::address_space::local_space>(memory);
}

/// Returns an object that is default-initialised. If this initialisation does nothing, there is no barrier. A type
/// without a default constructor, such as a union of objects with constructors, is left uninitialised.
template <class T, class Group, class Here = decltype([] {})>
SINTER_DEVICE_INLINE multi_ptr<T, access::address_space::local_space> group_local_memory_for_overwrite(Group group) {
  using element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  T* const memory = detail::group_variable<T, Group, Here>();
  if constexpr (std::is_default_constructible_v<element> && !std::is_trivially_default_constructible_v<element>) {
    group_barrier(group);
    detail::make_elements(group, memory, [](auto* place) { ::new (const_cast<element*>(place)) element; });
    group_barrier(group);
  }
  return multi_ptr<T, access::address_space::local_space>(memory);
}

}  // namespace ext::oneapi
}  // namespace sycl
