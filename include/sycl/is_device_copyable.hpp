#pragma once
/// sycl::is_device_copyable (SYCL 2020 3.13.1): what buffers may hold and kernels may capture. Users may specialise it.

#include <type_traits>

#define SYCL_DEVICE_COPYABLE 1

namespace sycl {

template <class T>
struct is_device_copyable : std::is_trivially_copyable<T> {};
template <class T>
struct is_device_copyable<const T> : is_device_copyable<T> {};
template <class T, std::size_t Count>
struct is_device_copyable<T[Count]> : is_device_copyable<T> {};
template <class T>
inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

} // namespace sycl
