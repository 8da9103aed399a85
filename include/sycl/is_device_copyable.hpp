#pragma once
/// sycl::is_device_copyable (SYCL 2020 3.13.1): types that buffers may hold and kernels may capture. Users may
/// specialise it.

#include <cstddef>
#include <type_traits>
#include <utility>

// Declares the standard library's containers without including their headers.
#if defined(__GLIBCXX__) && !_GLIBCXX_INLINE_VERSION
namespace std {
template <class T, size_t Count>
struct array;
template <class T>
class optional;
template <class... Types>
class tuple;
template <class... Types>
class variant;
template <class Character, class Traits>
class basic_string_view;
template <class T, size_t Extent>
class span;
}  // namespace std
#else
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>
#endif

#define SYCL_DEVICE_COPYABLE 1

namespace sycl::inline _V1 {

template <class T>
struct is_device_copyable : std::is_trivially_copyable<T> {};
template <class T>
struct is_device_copyable<const T> : is_device_copyable<T> {};
template <class T, std::size_t Count>
struct is_device_copyable<T[Count]> : is_device_copyable<T> {};
template <class T>
inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

// A container is device-copyable if its elements are, even if the standard library's container is not trivially
// copyable.
template <class T>
struct is_device_copyable<std::array<T, 0>> : std::true_type {};
template <class T, std::size_t Count>
struct is_device_copyable<std::array<T, Count>> : is_device_copyable<T> {};
template <class T>
struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <class First, class Second>
struct is_device_copyable<std::pair<First, Second>>
    : std::bool_constant<is_device_copyable_v<First> && is_device_copyable_v<Second>> {};
template <class... Types>
struct is_device_copyable<std::tuple<Types...>> : std::bool_constant<(is_device_copyable_v<Types> && ...)> {};
template <class... Types>
struct is_device_copyable<std::variant<Types...>> : std::bool_constant<(is_device_copyable_v<Types> && ...)> {};
template <class Character, class Traits>
struct is_device_copyable<std::basic_string_view<Character, Traits>> : std::true_type {};
template <class T, std::size_t Extent>
struct is_device_copyable<std::span<T, Extent>> : std::true_type {};

} // namespace sycl
