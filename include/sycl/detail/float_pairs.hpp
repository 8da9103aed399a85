#pragma once
/// Numbers that are the sum of two floats, with about 47 significant bits. Functions of floats use such pairs where
/// they would otherwise need double, because some devices have no double, and many devices compute slowly with double.

#include <cstdint>

#include "../bit_cast.hpp"

namespace sycl::inline _V1::detail::pairs {

#ifdef __clang__
// The lower floats are computed as differences, which -ffast-math would simplify to 0.
#pragma float_control(push)
#pragma float_control(precise, on)
#endif

/// The lower float is at most about half a unit in the last place of the higher float.
struct pair {
  constexpr pair(float high, float low) noexcept : high(high), low(low) {}
  // Without this copy constructor, functions for x86-64 would take and return a pair as a vector of two floats, and the
  // JIT could not widen such vectors to several work-items.
  constexpr pair(const pair& other) noexcept : high(other.high), low(other.low) {}
  constexpr pair& operator=(const pair& other) noexcept {
    high = other.high;
    low = other.low;
    return *this;
  }

  float high, low;
};

/// The absolute value of `a` must not be smaller than that of `b`, unless `a` is 0.
inline pair sum_of_ordered(float a, float b) noexcept {
  const float sum = a + b;
  return {sum, b - (sum - a)};
}
inline pair exact_sum(float a, float b) noexcept {
  const float sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
inline pair exact_product(float a, float b) noexcept {
  const float product = a * b;
  return {product, __builtin_fmaf(a, b, -product)};
}
inline pair product(const pair& a, const pair& b) noexcept {
  const pair exact = exact_product(a.high, b.high);
  return {exact.high, exact.low + (a.high * b.low + a.low * b.high)};
}
inline pair quotient(const pair& a, const pair& b) noexcept {
  const float near = a.high / b.high;
  return {near, ((__builtin_fmaf(-near, b.high, a.high) + a.low) - near * b.low) / b.high};
}
inline pair pair_of(int n) noexcept {
  const int part = n & 0xff;
  return exact_sum(static_cast<float>(n - part), static_cast<float>(part));
}

/// Rounds the pair to odd; x.high must be the float that is nearest to the pair's sum. If the result is rounded again,
/// to at most 22 bits, the final result is the same as if the pair had been rounded once.
inline float odd(const pair& x) noexcept {
  const auto bits = sycl::bit_cast<std::uint32_t>(x.high);
  if (!(x.low > 0.0f || x.low < 0.0f) || (bits & 1u) != 0) return x.high;
  return sycl::bit_cast<float>((x.low > 0.0f) == (x.high > 0.0f) ? bits + 1u : bits - 1u);
}

/// `n` must be from -126 to 127.
inline float power_of_two(int n) noexcept {
  return sycl::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23);
}

/// Returns the logarithm to the base 2 of a positive finite number x. If x = m * 2^e with m between the square roots of
/// 1/2 and 2, the logarithm is e + log2(m). log(m) is computed as a series in s = (m - 1) / (m + 1). The first two
/// terms of the series are pairs.
inline pair logarithm(float x) noexcept {
  constexpr std::uint32_t root_of_half = 0x3f3504f3u;
  constexpr float third = 0x1.555556p-2f, rest_of_third = -0x1.555556p-27f;
  constexpr pair twice_log2_of_e = {0x1.715476p+1f, 0x1.4ae0cp-25f};
  const bool is_small = x < 0x1p-126f;
  const std::uint32_t bits = sycl::bit_cast<std::uint32_t>(is_small ? x * 0x1p24f : x) - root_of_half;
  const float m = sycl::bit_cast<float>((bits & 0x7fffffu) + root_of_half);
  const int exponent = (static_cast<int>(bits) >> 23) - (is_small ? 24 : 0);
  const pair s = quotient({m - 1.0f, 0.0f}, sum_of_ordered(1.0f, m));
  const pair square = product(s, s);
  const float z = square.high;
  const float further =
      z * (1.0f / 5 + z * (1.0f / 7 + z * (1.0f / 9 + z * (1.0f / 11 + z * (1.0f / 13)))));
  pair factor = sum_of_ordered(third, further);
  factor.low += rest_of_third;
  const pair behind = product(s, product(square, factor));
  pair series = sum_of_ordered(s.high, behind.high);
  series.low += s.low + behind.low;
  const pair fraction = product(series, twice_log2_of_e);
  const pair sum = sum_of_ordered(static_cast<float>(exponent), fraction.high);
  return {sum.high, sum.low + fraction.low};
}

/// Returns 2 to the power of y. `y.low` may be as large as 1.
inline float power(pair y) noexcept {
  constexpr float most = 250.0f;  // if |y| is larger than this number, results are infinite or 0
  constexpr pair log_of_2 = {0x1.62e43p-1f, -0x1.05c61p-29f};
  if (!(y.high < most)) y = {most, 0.0f};
  if (!(y.high > -most)) y = {-most, 0.0f};
  const float whole = __builtin_rintf(y.high);
  const pair g = product(exact_sum(y.high - whole, y.low), log_of_2);
  const float x = g.high;
  const float further =
      x * (1.0f / 6 +
           x * (1.0f / 24 +
                x * (1.0f / 120 + x * (1.0f / 720 + x * (1.0f / 5040 + x * (1.0f / 40320 + x * (1.0f / 362880)))))));
  const pair behind = product(product(g, g), sum_of_ordered(0.5f, further));
  const pair first = sum_of_ordered(1.0f, g.high), second = exact_sum(first.high, behind.high);
  const float result = second.high + (second.low + (first.low + (g.low + behind.low)));
  // Multiplies by two powers of two, because a single power would be infinite or 0 for some exponents.
  const int exponent = static_cast<int>(whole), half_of_it = exponent >> 1;
  return result * power_of_two(half_of_it) * power_of_two(exponent - half_of_it);
}

/// Adds the sign and the special cases: powers and roots of 0 and infinity. `power` is the power of the absolute value
/// of x.
inline float with_limits(float power, float x, int n) noexcept {
  constexpr float infinity = __builtin_inff();
  const float size = __builtin_fabsf(x);
  if (size == 0.0f || size == infinity) power = (size == 0.0f) == (n > 0) ? 0.0f : infinity;
  return n % 2 != 0 ? __builtin_copysignf(power, x) : power;
}

#ifdef __clang__
#pragma float_control(pop)
#endif

}  // namespace sycl::inline _V1::detail::pairs
