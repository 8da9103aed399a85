#pragma once
/// sycl::half (SYCL 2020 4.14.1): the 16-bit floating-point type of IEEE 754, on host and device.
///
/// Each operation computes in float and then rounds the result to half. In spite of these two roundings, the result is
/// correctly rounded, because float has more than twice as many digits as half.

#include <cstddef>
#include <cstdint>
#include <string_view>  // for std::hash
#include <type_traits>

#include "bit_cast.hpp"

// <limits> would add a tenth to the time that each of the user's files needs to compile this library, so it is not
// included here. Programs that use the limits of half include <limits> themselves.
#if defined(__GLIBCXX__) && !_GLIBCXX_INLINE_VERSION
namespace std {
template <class T>
struct numeric_limits;
}
#else
#include <limits>
#endif

namespace sycl::inline _V1 {

namespace detail {

/// Computes the bits of a half by integer arithmetic. The function does not use the type _Float16, because some
/// compilers and devices lack this type.
constexpr std::uint16_t half_bits(float value) noexcept {
  const auto bits = sycl::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, size = bits & 0x7fffffffu;
  std::uint32_t result = 0;
  if (size > 0x7f800000u) {
    result = 0x7e00u | ((size >> 13) & 0x3ffu);
  } else if (size >= 0x477ff000u) {
    result = 0x7c00u;
  } else if (size < 0x38800000u) {
    // The last bit of 0.5f has the value 2^-24, and the smallest positive half is 2^-24, too. So the addition rounds to
    // a multiple of the smallest half.
    result = sycl::bit_cast<std::uint32_t>(sycl::bit_cast<float>(size) + 0.5f) - 0x3f000000u;
  } else {
    result = (size + 0xfffu + ((size >> 13) & 1u) - 0x38000000u) >> 13;
  }
  return static_cast<std::uint16_t>(sign | result);
}
constexpr float number_of_half(std::uint16_t bits) noexcept {
  const std::uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
  std::uint32_t result = (size << 13) + 0x38000000u;
  if (size >= 0x7c00u) result = 0x7f800000u | (size << 13);
  if (size < 0x400u) result = sycl::bit_cast<std::uint32_t>(static_cast<float>(size) * 0x1p-24f);
  return sycl::bit_cast<float>(sign | result);
}

#ifdef __FLT16_MANT_DIG__
#if defined(__aarch64__) && !defined(__clang__) && __GNUC__ < 13
using half_storage = __fp16;  // g++ before 13 has _Float16 only on x86
#else
using half_storage = _Float16;
#endif
constexpr half_storage narrow_to_half(float value) noexcept { return static_cast<half_storage>(value); }
constexpr float widen_half(half_storage value) noexcept { return static_cast<float>(value); }
#else
/// Used instead of _Float16, which Clang before 15 lacks on x86.
struct half_storage {
  std::uint16_t bits;
};
constexpr half_storage narrow_to_half(float value) noexcept { return {half_bits(value)}; }
constexpr float widen_half(half_storage value) noexcept { return number_of_half(value.bits); }
#endif

/// Rounds `value` to float by the rule "to odd": if the result is inexact, the last bit of the result is set. A second
/// rounding, to half, then gives the correct result. Two roundings are necessary, because CPUs can convert only float
/// to half.
constexpr float round_to_odd(double value) noexcept {
  const auto near = static_cast<float>(value);
  const double back = near;
  if (back == value || value != value || back - back != 0) return near;
  auto bits = sycl::bit_cast<std::uint32_t>(near);
  if ((value < 0 ? -back : back) > (value < 0 ? -value : value)) --bits;
  return sycl::bit_cast<float>(bits | 1u);
}

template <class T>
concept arithmetic_type = std::is_arithmetic_v<T>;
/// The types with which half can be compared. A comparison converts both values to float.
template <class T>
concept number_type = std::is_arithmetic_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, float>);

} // namespace detail

// half is in a namespace without functions. Otherwise, argument-dependent lookup would also find sycl::mix, and a
// program's own mix(half, half, half) would be ambiguous.
namespace detail::lone {

class half {
public:
  half() = default;
  template <detail::arithmetic_type T>
  constexpr half(T value) noexcept : m_value(detail::narrow_to_half(static_cast<float>(value))) {}
  constexpr half(double value) noexcept : m_value(detail::narrow_to_half(detail::round_to_odd(value))) {}

  /// Comparisons and conversions to other types also use this conversion.
  constexpr operator float() const noexcept { return detail::widen_half(m_value); }

  // An operator with a half and another type has the same result type as the operator with a float and the other type.
  // If the other type is an integer type, the result type is half.
#define SINTER_HALF_OPERATOR(op)                                                                        \
  friend constexpr half operator op(half a, half b) noexcept { return half(float(a) op float(b)); }     \
  template <detail::arithmetic_type T>                                                                  \
  friend constexpr auto operator op(half a, T b) noexcept {                                             \
    return std::conditional_t<std::is_integral_v<T>, half, T>(float(a) op static_cast<promoted<T>>(b)); \
  }                                                                                                     \
  template <detail::arithmetic_type T>                                                                  \
  friend constexpr auto operator op(T a, half b) noexcept {                                             \
    return std::conditional_t<std::is_integral_v<T>, half, T>(static_cast<promoted<T>>(a) op float(b)); \
  }                                                                                                     \
  template <class T>                                                                                    \
  friend constexpr half& operator op##=(half& a, T b) noexcept {                                        \
    return a = half(a op b);                                                                            \
  }
  SINTER_HALF_OPERATOR(+)
  SINTER_HALF_OPERATOR(-)
  SINTER_HALF_OPERATOR(*)
  SINTER_HALF_OPERATOR(/)
#undef SINTER_HALF_OPERATOR
  // For numbers, the comparisons of float would be enough. But an object of a class that converts to half would need
  // two conversions, which C++ does not do implicitly.
#define SINTER_HALF_COMPARISON(op)                                                            \
  friend constexpr bool operator op(half a, half b) noexcept { return float(a) op float(b); } \
  template <detail::number_type T>                                                            \
  friend constexpr bool operator op(half a, T b) noexcept {                                   \
    return float(a) op +b;                                                                    \
  }                                                                                           \
  template <detail::number_type T>                                                            \
  friend constexpr bool operator op(T a, half b) noexcept {                                   \
    return +a op float(b);                                                                    \
  }
  SINTER_HALF_COMPARISON(==)
  SINTER_HALF_COMPARISON(!=)
  SINTER_HALF_COMPARISON(<)
  SINTER_HALF_COMPARISON(>)
  SINTER_HALF_COMPARISON(<=)
  SINTER_HALF_COMPARISON(>=)
#undef SINTER_HALF_COMPARISON
  friend constexpr half operator+(half a) noexcept { return a; }
  friend constexpr half operator-(half a) noexcept { return half(-float(a)); }
  friend constexpr half& operator++(half& a) noexcept { return a += half(1.0f); }
  friend constexpr half& operator--(half& a) noexcept { return a -= half(1.0f); }
  friend constexpr half operator++(half& a, int) noexcept {
    const half old = a;
    ++a;
    return old;
  }
  friend constexpr half operator--(half& a, int) noexcept {
    const half old = a;
    --a;
    return old;
  }

private:
  template <class T>
  using promoted = std::conditional_t<std::is_integral_v<T>, float, T>;
  detail::half_storage m_value;
};

} // namespace detail::lone

using half = detail::lone::half;

namespace detail {

/// The floating-point types of SYCL.
template <class T>
concept float_type = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>;

} // namespace detail

} // namespace sycl

template <>
struct std::hash<sycl::half> {
  std::size_t operator()(sycl::half value) const noexcept { return std::hash<float>()(value); }
};

// The specialization is partial, so that the compiler instantiates it only where a program uses it. Such a program has
// included <limits>.
template <class T>
  requires(std::is_same_v<T, sycl::half>)
struct std::numeric_limits<T> {
private:
  using single = std::conditional_t<std::is_same_v<T, sycl::half>, float, T>;
  static constexpr T of(std::uint16_t bits) noexcept { return sycl::bit_cast<T>(bits); }

public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true, has_denorm_loss = false;
  static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false;
  static constexpr bool traps = false, tinyness_before = false;
  static constexpr auto has_denorm = std::numeric_limits<single>::has_denorm;
  static constexpr auto round_style = std::numeric_limits<single>::round_style;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, radix = 2;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
  static constexpr T min() noexcept { return of(0x0400); }
  static constexpr T lowest() noexcept { return of(0xfbff); }
  static constexpr T max() noexcept { return of(0x7bff); }
  static constexpr T epsilon() noexcept { return of(0x1400); }
  static constexpr T round_error() noexcept { return of(0x3800); }
  static constexpr T infinity() noexcept { return of(0x7c00); }
  static constexpr T quiet_NaN() noexcept { return of(0x7e00); }
  static constexpr T signaling_NaN() noexcept { return of(0x7d00); }
  static constexpr T denorm_min() noexcept { return of(0x0001); }
};
