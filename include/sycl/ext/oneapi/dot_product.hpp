#pragma once
/// sycl_ext_oneapi_dot_accumulate: the dot product of two vectors of four bytes each, added to a number.

#include <cstdint>
#include <type_traits>

#include "../../detail/export.hpp"
#include "../../vec.hpp"

#define SYCL_EXT_ONEAPI_DOT_ACCUMULATE 1

namespace sycl::inline _V1 {
namespace detail {

/// Returns byte i of the number, where byte 0 is the lowest. The byte is signed if Number is signed.
template <class Number>
SINTER_DEVICE_INLINE std::int32_t byte_of(Number number, int i) noexcept {
  using byte = std::conditional_t<std::is_signed_v<Number>, std::int8_t, std::uint8_t>;
  return static_cast<byte>(static_cast<std::uint32_t>(number) >> (8 * i));
}

}  // namespace detail

namespace ext::oneapi {

/// This overload takes the bytes as vectors of four elements.
template <class A, class B>
  requires((std::is_same_v<A, std::int8_t> || std::is_same_v<A, std::uint8_t>) &&
           (std::is_same_v<B, std::int8_t> || std::is_same_v<B, std::uint8_t>))
SINTER_DEVICE_INLINE std::int32_t dot_acc(vec<A, 4> a, vec<B, 4> b, std::int32_t sum) noexcept {
  for (int i = 0; i < 4; ++i) sum += static_cast<std::int32_t>(a[i]) * b[i];
  return sum;
}
/// This overload takes the bytes packed into 32-bit numbers. The bytes are signed if the number is signed.
template <class A, class B>
  requires((std::is_same_v<A, std::int32_t> || std::is_same_v<A, std::uint32_t>) &&
           (std::is_same_v<B, std::int32_t> || std::is_same_v<B, std::uint32_t>))
SINTER_DEVICE_INLINE std::int32_t dot_acc(A a, B b, std::int32_t sum) noexcept {
  for (int i = 0; i < 4; ++i) sum += sycl::detail::byte_of(a, i) * sycl::detail::byte_of(b, i);
  return sum;
}

}  // namespace ext::oneapi
}  // namespace sycl
