#pragma once
/// sycl::bit_cast: returns the value of another type with the same bits, like std::bit_cast of C++20.

#include <type_traits>

namespace sycl::inline _V1 {

template <class To, class From>
  requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>)
constexpr To bit_cast(const From& value) noexcept {
  return __builtin_bit_cast(To, value);
}

namespace detail {

/// Like bit_cast, but To may also be a type that is device-copyable without being trivially copyable, such as
/// std::pair.
template <class To, class From>
  requires(sizeof(To) == sizeof(From))
inline __attribute__((always_inline)) To value_of_bytes(const From& bytes) noexcept {
  if constexpr (std::is_trivially_copyable_v<To>) {
    return __builtin_bit_cast(To, bytes);
  } else {
    union room {
      char none;
      To value;
      room() noexcept : none(0) {}
      ~room() {}
    } copy;
    __builtin_memcpy(static_cast<void*>(&copy), &bytes, sizeof(To));
    return copy.value;
  }
}

} // namespace detail
} // namespace sycl
