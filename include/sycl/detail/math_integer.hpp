#pragma once
/// Integer functions (SYCL 2020 4.17.6). clamp, max and min are in math_common.hpp.

#include <cstdint>
#include <type_traits>

#include "element_wise.hpp"
#include "vector_traits.hpp"

namespace sycl::inline _V1 {

namespace detail {

/// A type that can represent every product of two values of T.
template <class T>
struct wide_integer {
  using type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};
template <class T>
  requires(sizeof(T) == 8)
struct wide_integer<T> {
  __extension__ typedef std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128> type;
};

/// An unsigned type, with which arithmetic wraps around.
template <class T>
using wrapping_t = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
template <class T>
constexpr wrapping_t<T> wrapping(T x) noexcept {
  return static_cast<wrapping_t<T>>(x);
}

template <class T>
inline constexpr T least_integer = std::is_signed_v<T> ? static_cast<T>(std::uint64_t{1} << (sizeof(T) * 8 - 1)) : T{0};
template <class T>
inline constexpr T greatest_integer = static_cast<T>(~least_integer<T>);

} // namespace detail

#define SINTER_INTEGER_1(name)      \
  template <detail::integer_type T> \
  constexpr T name(T x) noexcept
// In the specification, these functions have one template parameter per argument.
#define SINTER_INTEGER_2(name)                 \
  template <detail::integer_type T, class = T> \
  constexpr T name(T x, T y) noexcept
#define SINTER_INTEGER_3(name)                            \
  template <detail::integer_type T, class = T, class = T> \
  constexpr T name(T x, T y, T z) noexcept

SINTER_INTEGER_1(abs) { return x < T{0} ? static_cast<T>(-detail::wrapping(x)) : x; }
SINTER_INTEGER_2(abs_diff) {
  return static_cast<T>(x < y ? detail::wrapping(y) - detail::wrapping(x) : detail::wrapping(x) - detail::wrapping(y));
}
SINTER_INTEGER_2(add_sat) {
  T sum{};
  return __builtin_add_overflow(x, y, &sum) ? (x < T{0} ? detail::least_integer<T> : detail::greatest_integer<T>) : sum;
}
SINTER_INTEGER_2(sub_sat) {
  T difference{};
  return __builtin_sub_overflow(x, y, &difference) ? (x < y ? detail::least_integer<T> : detail::greatest_integer<T>)
                                                   : difference;
}
/// hadd returns half of the sum rounded down, rhadd half of the sum rounded up. The sum itself may be too large for T.
SINTER_INTEGER_2(hadd) { return static_cast<T>((x & y) + ((x ^ y) >> 1)); }
SINTER_INTEGER_2(rhadd) { return static_cast<T>((x | y) - ((x ^ y) >> 1)); }
SINTER_INTEGER_1(clz) {
  const auto bits = static_cast<unsigned long long>(static_cast<std::make_unsigned_t<T>>(x));
  return static_cast<T>(bits == 0 ? int(sizeof(T) * 8) : __builtin_clzll(bits) - int(64 - sizeof(T) * 8));
}
SINTER_INTEGER_1(ctz) {
  const auto bits = static_cast<unsigned long long>(static_cast<std::make_unsigned_t<T>>(x));
  return static_cast<T>(bits == 0 ? int(sizeof(T) * 8) : __builtin_ctzll(bits));
}
SINTER_INTEGER_1(popcount) { return static_cast<T>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(x))); }
SINTER_INTEGER_2(mul_hi) {
  using wide = typename detail::wide_integer<T>::type;
  return static_cast<T>((static_cast<wide>(x) * static_cast<wide>(y)) >> (sizeof(T) * 8));
}
SINTER_INTEGER_3(mad_hi) { return static_cast<T>(detail::wrapping(mul_hi(x, y)) + detail::wrapping(z)); }
SINTER_INTEGER_3(mad_sat) {
  using wide = typename detail::wide_integer<T>::type;
  const wide sum = static_cast<wide>(x) * static_cast<wide>(y) + static_cast<wide>(z);
  return sum < wide(detail::least_integer<T>)      ? detail::least_integer<T>
         : sum > wide(detail::greatest_integer<T>) ? detail::greatest_integer<T>
                                           : static_cast<T>(sum);
}
/// Rotates to the left by `y` bits, modulo the width of T.
SINTER_INTEGER_2(rotate) {
  constexpr unsigned width = sizeof(T) * 8;
  const auto bits = static_cast<std::make_unsigned_t<T>>(x);
  const unsigned count = static_cast<unsigned>(y) % width;
  return static_cast<T>((bits << count) | (bits >> ((width - count) % width)));
}
/// Multiplies values of 24 bits. For larger values, the result is unspecified.
template <detail::integer_type T, class = T>
  requires(sizeof(T) == 4)
constexpr T mul24(T x, T y) noexcept {
  return static_cast<T>(detail::wrapping(x) * detail::wrapping(y));
}
template <detail::integer_type T, class = T, class = T>
  requires(sizeof(T) == 4)
constexpr T mad24(T x, T y, T z) noexcept {
  return static_cast<T>(detail::wrapping(x) * detail::wrapping(y) + detail::wrapping(z));
}
#undef SINTER_INTEGER_1
#undef SINTER_INTEGER_2
#undef SINTER_INTEGER_3

SINTER_ELEMENT_WISE_1(abs, integer_vector)
SINTER_ELEMENT_WISE_1(clz, integer_vector)
SINTER_ELEMENT_WISE_1(ctz, integer_vector)
SINTER_ELEMENT_WISE_1(popcount, integer_vector)
SINTER_ELEMENT_WISE_2(abs_diff, integer_vector)
SINTER_ELEMENT_WISE_2(add_sat, integer_vector)
SINTER_ELEMENT_WISE_2(sub_sat, integer_vector)
SINTER_ELEMENT_WISE_2(hadd, integer_vector)
SINTER_ELEMENT_WISE_2(rhadd, integer_vector)
SINTER_ELEMENT_WISE_2(mul_hi, integer_vector)
SINTER_ELEMENT_WISE_2(rotate, integer_vector)
SINTER_ELEMENT_WISE_2(mul24, integer_vector)
SINTER_ELEMENT_WISE_3(mad_hi, integer_vector)
SINTER_ELEMENT_WISE_3(mad_sat, integer_vector)
SINTER_ELEMENT_WISE_3(mad24, integer_vector)

/// Returns (high << bits of low) | low as an integer of twice the width. The result is signed if `high` is signed.
template <detail::integer_type High, detail::integer_type Low>
  requires(sizeof(High) == sizeof(Low) && sizeof(High) < 8 && std::is_unsigned_v<Low>)
constexpr auto upsample(High high, Low low) noexcept {
  using bits = detail::unsigned_of_size<sizeof(High) * 2>;
  using signed_bits = typename detail::integer_of_size<sizeof(High) * 2>::type;
  const auto upper = static_cast<bits>(static_cast<bits>(high) << (sizeof(Low) * 8));
  return static_cast<std::conditional_t<std::is_signed_v<High>, signed_bits, bits>>(static_cast<bits>(upper | low));
}
template <detail::integer_vector High, detail::integer_vector Low>
  requires(detail::like_of<Low, High, detail::element_t<Low>>)
constexpr auto upsample(const High& high, const Low& low) noexcept {
  detail::rebind_t<High, decltype(sycl::upsample(high[0], low[0]))> result{};
  for (int i = 0; i < int(result.size()); ++i) result[i] = sycl::upsample(high[i], low[i]);
  return result;
}

} // namespace sycl

#include "element_wise.hpp"
