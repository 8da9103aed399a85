#pragma once
/// sycl_ext_oneapi_prefetch: hints by a work-item or group that it will soon read memory. Sinter's devices have no use
/// for such hints, so the functions do nothing.

#include <cstddef>
#include <type_traits>

#include "../../../accessor.hpp"
#include "../../../detail/export.hpp"
#include "../../../group_algorithms.hpp"
#include "../../../multi_ptr.hpp"
#include "../properties/properties.hpp"

#define SYCL_EXT_ONEAPI_PREFETCH 1

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class cache_level { L1, L2, L3, L4 };
struct nontemporal;

struct prefetch_hint_key {
  template <cache_level Level, class Hint>
  using value_t = property_value<prefetch_hint_key, std::integral_constant<cache_level, Level>, Hint>;
};
template <>
struct is_property_key<prefetch_hint_key> : std::true_type {};

template <cache_level Level, class Hint>
inline constexpr prefetch_hint_key::value_t<Level, Hint> prefetch_hint;
inline constexpr prefetch_hint_key::value_t<cache_level::L1, void> prefetch_hint_L1;
inline constexpr prefetch_hint_key::value_t<cache_level::L2, void> prefetch_hint_L2;
inline constexpr prefetch_hint_key::value_t<cache_level::L3, void> prefetch_hint_L3;
inline constexpr prefetch_hint_key::value_t<cache_level::L4, void> prefetch_hint_L4;
inline constexpr prefetch_hint_key::value_t<cache_level::L1, nontemporal> prefetch_hint_L1_nt;
inline constexpr prefetch_hint_key::value_t<cache_level::L2, nontemporal> prefetch_hint_L2_nt;
inline constexpr prefetch_hint_key::value_t<cache_level::L3, nontemporal> prefetch_hint_L3_nt;
inline constexpr prefetch_hint_key::value_t<cache_level::L4, nontemporal> prefetch_hint_L4_nt;

/// Prefetches global memory: the object at the pointer, or several elements from the pointer on (bytes for void
/// pointers).
template <class T, class Properties = empty_properties_t>
  requires(is_property_list_v<Properties>)
SINTER_DEVICE_INLINE void prefetch(T*, Properties = {}) noexcept {}
template <class T, class Properties = empty_properties_t>
  requires(is_property_list_v<Properties>)
SINTER_DEVICE_INLINE void prefetch(T*, std::size_t, Properties = {}) noexcept {}
template <class T, access::address_space Space, access::decorated Decorated, class Properties = empty_properties_t>
  requires(is_property_list_v<Properties> && (Space == access::address_space::global_space ||
                                              Space == access::address_space::generic_space))
SINTER_DEVICE_INLINE void prefetch(multi_ptr<T, Space, Decorated>, Properties = {}) noexcept {}
template <class T, access::address_space Space, access::decorated Decorated, class Properties = empty_properties_t>
  requires(is_property_list_v<Properties> && (Space == access::address_space::global_space ||
                                              Space == access::address_space::generic_space))
SINTER_DEVICE_INLINE void prefetch(multi_ptr<T, Space, Decorated>, std::size_t, Properties = {}) noexcept {}
/// Prefetches one element of the accessor, or several elements from that element on.
template <class T, int Dimensions, access_mode Mode, access::placeholder Placeholder,
          class Properties = empty_properties_t>
  requires(is_property_list_v<Properties> && Dimensions > 0 && Mode != access_mode::write)
SINTER_DEVICE_INLINE void prefetch(const accessor<T, Dimensions, Mode, target::device, Placeholder>&, id<Dimensions>,
                                   Properties = {}) noexcept {}
template <class T, int Dimensions, access_mode Mode, access::placeholder Placeholder,
          class Properties = empty_properties_t>
  requires(is_property_list_v<Properties> && Dimensions > 0 && Mode != access_mode::write)
SINTER_DEVICE_INLINE void prefetch(const accessor<T, Dimensions, Mode, target::device, Placeholder>&, id<Dimensions>,
                                   std::size_t, Properties = {}) noexcept {}

/// Prefetches for a whole group; all work-items of the group have to call it together.
template <class Group, class... Arguments>
  requires(is_group_v<Group> && requires(const Arguments&... arguments) { experimental::prefetch(arguments...); })
SINTER_DEVICE_INLINE void joint_prefetch(Group, const Arguments&...) noexcept {}

}  // namespace sycl::ext::oneapi::experimental
