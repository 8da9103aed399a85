#pragma once
/// sycl_ext_oneapi_kernel_properties: the attributes of kernels (SYCL 2020 5.8.1) as properties. parallel_for and
/// single_task take properties before the kernel function, and a function object can return its own properties from
/// get(properties_tag). Like attributes, properties have an effect only if the program is compiled with the plugin.
/// Launches with reductions ignore all properties about sizes, and all properties that come from the function object.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../../aspects.hpp"
#include "../properties/properties.hpp"

#define SYCL_EXT_ONEAPI_KERNEL_PROPERTIES 1

namespace sycl::inline _V1::ext::oneapi::experimental {

template <class>
struct has_compile_time_kernel_effect : std::false_type {};
template <class Property>
inline constexpr bool has_compile_time_kernel_effect_v = has_compile_time_kernel_effect<Property>::value;

/// Corresponds to the attribute reqd_work_group_size.
struct work_group_size_key {
  template <std::size_t... Sizes>
  using value_t = property_value<work_group_size_key, std::integral_constant<std::size_t, Sizes>...>;
};
/// Corresponds to the attribute work_group_size_hint, which has no effect.
struct work_group_size_hint_key {
  template <std::size_t... Sizes>
  using value_t = property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Sizes>...>;
};
/// Corresponds to the attribute reqd_sub_group_size.
struct sub_group_size_key {
  template <std::uint32_t Size>
  using value_t = property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>>;
};
/// Corresponds to the attribute device_has.
struct device_has_key {
  template <aspect... Aspects>
  using value_t = property_value<device_has_key, std::integral_constant<aspect, Aspects>...>;
};
/// Limits the size of the launch's work-groups in each dimension. Launches throw errc::nd_range if a size is larger.
struct max_work_group_size_key {
  template <std::size_t... Sizes>
  using value_t = property_value<max_work_group_size_key, std::integral_constant<std::size_t, Sizes>...>;
};
/// Limits the number of work-items in the launch's work-groups. Launches throw errc::nd_range if the number is larger.
struct max_linear_work_group_size_key {
  template <std::size_t Size>
  using value_t = property_value<max_linear_work_group_size_key, std::integral_constant<std::size_t, Size>>;
};

template <std::size_t... Sizes>
struct property_value<work_group_size_key, std::integral_constant<std::size_t, Sizes>...> {
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && ((Sizes > 0) && ...),
                "work_group_size takes one to three sizes above 0");
  using key_t = work_group_size_key;
  constexpr std::size_t operator[](int dimension) const noexcept {
    return std::array<std::size_t, sizeof...(Sizes)>{Sizes...}[static_cast<std::size_t>(dimension)];
  }
};
template <std::size_t... Sizes>
struct property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Sizes>...> {
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && ((Sizes > 0) && ...),
                "work_group_size_hint takes one to three sizes above 0");
  using key_t = work_group_size_hint_key;
  constexpr std::size_t operator[](int dimension) const noexcept {
    return std::array<std::size_t, sizeof...(Sizes)>{Sizes...}[static_cast<std::size_t>(dimension)];
  }
};
template <std::size_t... Sizes>
struct property_value<max_work_group_size_key, std::integral_constant<std::size_t, Sizes>...> {
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && ((Sizes > 0) && ...),
                "max_work_group_size takes one to three sizes above 0");
  using key_t = max_work_group_size_key;
  static constexpr int dimensions = sizeof...(Sizes);
  constexpr std::size_t operator[](int dimension) const noexcept {
    return std::array<std::size_t, sizeof...(Sizes)>{Sizes...}[static_cast<std::size_t>(dimension)];
  }
};
template <std::size_t Size>
struct property_value<max_linear_work_group_size_key, std::integral_constant<std::size_t, Size>> {
  static_assert(Size > 0, "max_linear_work_group_size takes a size above 0");
  using key_t = max_linear_work_group_size_key;
  static constexpr std::size_t value = Size;
};
template <std::uint32_t Size>
struct property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>> {
  static_assert(Size > 0, "sub_group_size takes a size above 0");
  using key_t = sub_group_size_key;
  static constexpr std::uint32_t value = Size;
};
template <aspect... Aspects>
struct property_value<device_has_key, std::integral_constant<aspect, Aspects>...> {
  using key_t = device_has_key;
  static constexpr std::array<aspect, sizeof...(Aspects)> value{Aspects...};
};

template <std::size_t... Sizes>
inline constexpr work_group_size_key::value_t<Sizes...> work_group_size;
template <std::size_t... Sizes>
inline constexpr work_group_size_hint_key::value_t<Sizes...> work_group_size_hint;
template <std::size_t... Sizes>
inline constexpr max_work_group_size_key::value_t<Sizes...> max_work_group_size;
template <std::size_t Size>
inline constexpr max_linear_work_group_size_key::value_t<Size> max_linear_work_group_size;
template <std::uint32_t Size>
inline constexpr sub_group_size_key::value_t<Size> sub_group_size;
template <aspect... Aspects>
inline constexpr device_has_key::value_t<Aspects...> device_has;

template <>
struct is_property_key<work_group_size_key> : std::true_type {};
template <>
struct is_property_key<work_group_size_hint_key> : std::true_type {};
template <>
struct is_property_key<max_work_group_size_key> : std::true_type {};
template <>
struct is_property_key<max_linear_work_group_size_key> : std::true_type {};
template <>
struct is_property_key<sub_group_size_key> : std::true_type {};
template <>
struct is_property_key<device_has_key> : std::true_type {};
template <std::size_t... Sizes>
struct has_compile_time_kernel_effect<work_group_size_key::value_t<Sizes...>> : std::true_type {};
template <std::size_t... Sizes>
struct has_compile_time_kernel_effect<work_group_size_hint_key::value_t<Sizes...>> : std::true_type {};
template <std::size_t... Sizes>
struct has_compile_time_kernel_effect<max_work_group_size_key::value_t<Sizes...>> : std::true_type {};
template <std::size_t Size>
struct has_compile_time_kernel_effect<max_linear_work_group_size_key::value_t<Size>> : std::true_type {};
template <std::uint32_t Size>
struct has_compile_time_kernel_effect<sub_group_size_key::value_t<Size>> : std::true_type {};
template <aspect... Aspects>
struct has_compile_time_kernel_effect<device_has_key::value_t<Aspects...>> : std::true_type {};

/// The parameter type of the member function `auto get(properties_tag) const` of function objects.
struct properties_tag {};

}  // namespace sycl::ext::oneapi::experimental
