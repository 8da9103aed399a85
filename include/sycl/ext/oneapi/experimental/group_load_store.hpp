#pragma once
/// sycl_ext_oneapi_group_load_store: the work-items of a work-group or sub-group together load or store an array. Each
/// work-item has one or several elements. The elements of a work-item are contiguous in the array (blocked, the
/// default), or the distance from one element to the next is the number of work-items (striped).

#include <cstddef>
#include <span>
#include <type_traits>

#include "../../../detail/export.hpp"
#include "../../../group_algorithms.hpp"
#include "../../../vec.hpp"
#include "../properties/properties.hpp"

#define SYCL_EXT_ONEAPI_GROUP_LOAD_STORE 1

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class data_placement_enum { blocked, striped };

struct data_placement_key {
  template <data_placement_enum Placement>
  using value_t = property_value<data_placement_key, std::integral_constant<data_placement_enum, Placement>>;
};
template <data_placement_enum Placement>
struct property_value<data_placement_key, std::integral_constant<data_placement_enum, Placement>> {
  using key_t = data_placement_key;
  static constexpr data_placement_enum value = Placement;
};
/// These properties are promises of the program. Sinter ignores them.
struct contiguous_memory_key {
  using value_t = property_value<contiguous_memory_key>;
};
struct full_group_key {
  using value_t = property_value<full_group_key>;
};

template <data_placement_enum Placement>
inline constexpr data_placement_key::value_t<Placement> data_placement;
inline constexpr data_placement_key::value_t<data_placement_enum::blocked> data_placement_blocked;
inline constexpr data_placement_key::value_t<data_placement_enum::striped> data_placement_striped;
inline constexpr contiguous_memory_key::value_t contiguous_memory;
inline constexpr full_group_key::value_t full_group;

template <>
struct is_property_key<data_placement_key> : std::true_type {};
template <>
struct is_property_key<contiguous_memory_key> : std::true_type {};
template <>
struct is_property_key<full_group_key> : std::true_type {};

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

/// Returns the position of the work-item's element number `index` in the array. Each work-item has `count` elements.
template <class Properties, class Group>
SINTER_DEVICE_INLINE std::size_t placed_element(const Group& group, std::size_t index, std::size_t count) {
  namespace oneapi = ext::oneapi::experimental;
  constexpr bool striped = value_of_property<Properties, oneapi::data_placement_key>(
                               oneapi::data_placement_enum::blocked) == oneapi::data_placement_enum::striped;
  const std::size_t item = group.get_local_linear_id();
  return striped ? index * group.get_local_linear_range() + item : item * count + index;
}

template <class Iterator>
concept element_iterator = std::is_pointer_v<Iterator> || requires(Iterator at, std::ptrdiff_t index) { at[index]; };

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Loads the work-item's elements of the array at `first`. All work-items of the group have to call this function with
/// the same `first`.
template <class Group, class Iterator, class T, std::size_t Count, class Properties = empty_properties_t>
  requires(is_group_v<Group> && is_property_list_v<Properties> && sycl::detail::element_iterator<Iterator> &&
           Count != std::dynamic_extent)
SINTER_DEVICE_INLINE void group_load(Group group, Iterator first, std::span<T, Count> out, Properties = {}) {
  for (std::size_t i = 0; i < Count; ++i) {
    out[i] = first[static_cast<std::ptrdiff_t>(sycl::detail::placed_element<Properties>(group, i, Count))];
  }
}
template <class Group, class Iterator, class T, int Count, class Properties = empty_properties_t>
  requires(is_group_v<Group> && is_property_list_v<Properties> && sycl::detail::element_iterator<Iterator>)
SINTER_DEVICE_INLINE void group_load(Group group, Iterator first, vec<T, Count>& out, Properties = {}) {
  for (int i = 0; i < Count; ++i) {
    out[i] = first[static_cast<std::ptrdiff_t>(sycl::detail::placed_element<Properties>(group, i, Count))];
  }
}
template <class Group, class Iterator, class T, class Properties = empty_properties_t>
  requires(is_group_v<Group> && is_property_list_v<Properties> && sycl::detail::element_iterator<Iterator>)
SINTER_DEVICE_INLINE void group_load(Group group, Iterator first, T& out, Properties = {}) {
  out = first[static_cast<std::ptrdiff_t>(group.get_local_linear_id())];
}

/// Stores the work-item's elements in the array at `first`.
template <class Group, class T, std::size_t Count, class Iterator, class Properties = empty_properties_t>
  requires(is_group_v<Group> && is_property_list_v<Properties> && sycl::detail::element_iterator<Iterator> &&
           Count != std::dynamic_extent)
SINTER_DEVICE_INLINE void group_store(Group group, std::span<T, Count> in, Iterator first, Properties = {}) {
  for (std::size_t i = 0; i < Count; ++i) {
    first[static_cast<std::ptrdiff_t>(sycl::detail::placed_element<Properties>(group, i, Count))] = in[i];
  }
}
template <class Group, class T, int Count, class Iterator, class Properties = empty_properties_t>
  requires(is_group_v<Group> && is_property_list_v<Properties> && sycl::detail::element_iterator<Iterator>)
SINTER_DEVICE_INLINE void group_store(Group group, const vec<T, Count>& in, Iterator first, Properties = {}) {
  for (int i = 0; i < Count; ++i) {
    first[static_cast<std::ptrdiff_t>(sycl::detail::placed_element<Properties>(group, i, Count))] = in[i];
  }
}
template <class Group, class T, class Iterator, class Properties = empty_properties_t>
  requires(is_group_v<Group> && is_property_list_v<Properties> && sycl::detail::element_iterator<Iterator>)
SINTER_DEVICE_INLINE void group_store(Group group, const T& in, Iterator first, Properties = {}) {
  first[static_cast<std::ptrdiff_t>(group.get_local_linear_id())] = in;
}

}  // namespace sycl::ext::oneapi::experimental
