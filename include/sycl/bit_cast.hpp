#pragma once
/// sycl::bit_cast: the value with the same bits (as C++20).

#include <type_traits>

namespace sycl {

template <class To, class From>
  requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>)
constexpr To bit_cast(const From& value) noexcept {
  return __builtin_bit_cast(To, value);
}

} // namespace sycl
