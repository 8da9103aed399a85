#pragma once
/// Math functions that C++ lacks. They compute in long double, and the tests compare the device's functions with them.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sycl/sycl.hpp>
#include <type_traits>

namespace e2e {

using ld = long double;
inline constexpr ld pi = 3.14159265358979323846264338327950288L;
inline constexpr ld not_a_number = std::numeric_limits<ld>::quiet_NaN();

/// Computes sin(pi * x). Near each zero of this function, the code calls std::sin with an argument near 0, because
/// std::sin(pi * t) is exact only near t = 0. A zero has the sign of x.
inline ld sinpi(ld x) {
  const ld turn = std::remainder(x, 2.0L);
  if (turn == 0 || std::fabs(turn) == 1) return std::copysign(0.0L, x);
  return std::sin(pi * (std::fabs(turn) > 0.5L ? std::copysign(1.0L, turn) - turn : turn));
}
inline ld cospi(ld x) { return std::sin(pi * (0.5L - std::fabs(std::remainder(x, 2.0L)))); }
inline ld tanpi(ld x) {
  const ld part = std::remainder(x, 1.0L);
  if (part == 0) return std::copysign(0.0L, std::remainder(x, 2.0L) == 0 ? x : -x);
  if (std::fabs(part) == 0.5L) return std::copysign(std::numeric_limits<ld>::infinity(), part);
  return std::fabs(part) > 0.25L ? std::copysign(1 / std::tan(pi * (0.5L - std::fabs(part))), part)
                                 : std::tan(pi * part);
}

/// Computes exp(y * log(x)). The result is NaN if this formula gives NaN.
inline ld powr(ld x, ld y) { return std::isnan(y * std::log(x)) ? not_a_number : std::pow(std::fabs(x), y); }

inline ld rootn(ld x, ld n) {
  const bool odd = std::fmod(n, 2.0L) != 0;
  if (n == 0 || std::isnan(x) || (x < 0 && !odd)) return not_a_number;
  const ld root = std::pow(std::fabs(x), 1 / n);
  return odd ? std::copysign(root, x) : root;
}

/// The result is less than 1, also after rounding to type T.
template <class T>
ld fract(ld x) {
  if (x == 0 || std::isinf(x)) return std::copysign(0.0L, x);
  return std::isnan(x) ? x : std::fmin(x - std::floor(x), 1 - std::ldexp(1.0L, -std::numeric_limits<T>::digits));
}

/// Returns the neighbour of a finite x in the direction of y. A zero has the sign of x.
template <class T>
T nextafter(T x, T y) {
  if (x != x || y != y) return std::numeric_limits<T>::quiet_NaN();
  if (x == y) return y;
  using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  // These integers have the same order as the floating-point numbers whose bits they are.
  using wide = long long;
  const bits sign = static_cast<bits>(bits{1} << (sizeof(bits) * 8 - 1));
  bits raw{};
  std::memcpy(&raw, &x, sizeof(x));
  wide order = raw & sign ? -static_cast<wide>(raw & static_cast<bits>(~sign)) : static_cast<wide>(raw);
  order += x < y ? 1 : -1;
  if (order == 0) return x < T(0) ? T(-0.0f) : T(0.0f);
  raw = static_cast<bits>(order < 0 ? static_cast<bits>(-order) | sign : static_cast<bits>(order));
  return sycl::bit_cast<T>(raw);
}

inline ld modf(ld x) { return std::copysign(std::isinf(x) ? 0.0L : x - std::trunc(x), x); }

} // namespace e2e
