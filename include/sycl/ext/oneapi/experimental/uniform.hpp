#pragma once
/// sycl_ext_oneapi_uniform: a promise that a value is the same in all work-items of a sub-group. Sinter analyses
/// kernels for such values anyway, so the promise has no effect.

#include <type_traits>

#include "../../../group.hpp"
#include "../../../hierarchical.hpp"
#include "../../../item.hpp"
#include "../../../nd_item.hpp"
#include "../../../nd_range.hpp"
#include "../../../sub_group.hpp"

#define SYCL_EXT_ONEAPI_UNIFORM 1

namespace sycl::inline _V1::detail {

template <class>
inline constexpr bool never_uniform = false;
template <>
inline constexpr bool never_uniform<sub_group> = true;
template <int Dimensions, bool WithOffset>
inline constexpr bool never_uniform<item<Dimensions, WithOffset>> = true;
template <int Dimensions>
inline constexpr bool never_uniform<nd_item<Dimensions>> = true;
template <int Dimensions>
inline constexpr bool never_uniform<h_item<Dimensions>> = true;
template <int Dimensions>
inline constexpr bool never_uniform<group<Dimensions>> = true;
template <int Dimensions>
inline constexpr bool never_uniform<nd_range<Dimensions>> = true;

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

template <class T>
class uniform {
  static_assert(!detail::never_uniform<T>, "this class says where a work-item is: it is never uniform");

public:
  explicit uniform(T value) noexcept : m_value(value) {}
  operator const T() const { return m_value; }

  uniform(const uniform&) = default;
  uniform& operator=(const uniform&) = delete;
  uniform& operator+=(const T&) = delete;
  uniform& operator-=(const T&) = delete;
  uniform& operator*=(const T&) = delete;
  uniform& operator/=(const T&) = delete;
  uniform& operator%=(const T&) = delete;
  uniform& operator&=(const T&) = delete;
  uniform& operator|=(const T&) = delete;
  uniform& operator^=(const T&) = delete;
  uniform& operator<<=(const T&) = delete;
  uniform& operator>>=(const T&) = delete;
  uniform& operator++() = delete;
  uniform& operator++(int) = delete;
  uniform& operator--() = delete;
  uniform& operator--(int) = delete;

private:
  T m_value;
};

}  // namespace sycl::ext::oneapi::experimental
