#pragma once
/// Math functions that libm has (SYCL 2020 4.17.5); the other math functions are in math_functions.hpp.
///
/// On the host and in library mode, these functions call libm. In captured kernels, these functions become LLVM
/// intrinsics, or calls of the device's math library, which does not set errno (abi/device_abi.hpp). The functions for
/// half compute in float and round the result to half.

#include <cstdint>
#include <type_traits>

#include "../bit_cast.hpp"
#include "element_wise.hpp"
#include "float_pairs.hpp"
#include "vector_traits.hpp"

namespace sycl::inline _V1 {

#define SINTER_MATH_1(name, builtin)                                 \
  template <detail::named<float> = void>                             \
  float name(float x) noexcept { return __builtin_##builtin##f(x); } \
  template <detail::named<double> = void>                            \
  double name(double x) noexcept { return __builtin_##builtin(x); }  \
  template <detail::named<half> = void>                              \
  half name(half x) noexcept { return half(name(float(x))); }        \
  SINTER_OF_INTEGER(name)                                            \
  SINTER_ELEMENT_WISE_1(name, float_argument)
#define SINTER_MATH_2(name, builtin)                                             \
  template <detail::named<float> = void>                                         \
  float name(float x, float y) noexcept { return __builtin_##builtin##f(x, y); } \
  template <detail::named<double> = void>                                        \
  double name(double x, double y) noexcept { return __builtin_##builtin(x, y); } \
  template <detail::named<half> = void>                                          \
  half name(half x, half y) noexcept { return half(name(float(x), float(y))); }  \
  SINTER_ELEMENT_WISE_2(name, float_argument)

SINTER_MATH_1(acos, acos)
SINTER_MATH_1(acosh, acosh)
SINTER_MATH_1(asin, asin)
SINTER_MATH_1(asinh, asinh)
SINTER_MATH_1(atan, atan)
SINTER_MATH_1(atanh, atanh)
SINTER_MATH_1(ceil, ceil)
SINTER_MATH_1(cos, cos)
SINTER_MATH_1(cosh, cosh)
SINTER_MATH_1(erf, erf)
SINTER_MATH_1(erfc, erfc)
SINTER_MATH_1(exp, exp)
SINTER_MATH_1(exp2, exp2)
SINTER_MATH_1(expm1, expm1)
SINTER_MATH_1(fabs, fabs)
SINTER_MATH_1(floor, floor)
SINTER_MATH_1(lgamma, lgamma)
SINTER_MATH_1(log, log)
SINTER_MATH_1(log10, log10)
SINTER_MATH_1(log1p, log1p)
SINTER_MATH_1(log2, log2)
SINTER_MATH_1(logb, logb)
SINTER_MATH_1(rint, rint)
SINTER_MATH_1(round, round)
SINTER_MATH_1(sin, sin)
SINTER_MATH_1(sinh, sinh)
SINTER_MATH_1(sqrt, sqrt)
SINTER_MATH_1(tan, tan)
SINTER_MATH_1(tanh, tanh)
SINTER_MATH_1(tgamma, tgamma)
SINTER_MATH_1(trunc, trunc)
SINTER_MATH_2(atan2, atan2)
SINTER_MATH_2(copysign, copysign)
SINTER_MATH_2(fdim, fdim)
SINTER_MATH_2(fmax, fmax)
SINTER_MATH_2(fmin, fmin)
SINTER_MATH_2(fmod, fmod)
SINTER_MATH_2(hypot, hypot)
SINTER_MATH_2(pow, pow)
SINTER_MATH_2(remainder, remainder)
#undef SINTER_MATH_1
#undef SINTER_MATH_2

template <detail::float_vector A>
constexpr detail::vector_t<A> fmax(const A& x, detail::element_t<A> y) noexcept {
  return fmax(x, detail::vector_t<A>(y));
}
template <detail::float_vector A>
constexpr detail::vector_t<A> fmin(const A& x, detail::element_t<A> y) noexcept {
  return fmin(x, detail::vector_t<A>(y));
}

template <detail::named<float> = void>
float nextafter(float x, float y) noexcept { return __builtin_nextafterf(x, y); }
template <detail::named<double> = void>
double nextafter(double x, double y) noexcept { return __builtin_nextafter(x, y); }
template <detail::named<half> = void> half nextafter(half x, half y) noexcept {
  const auto bits = sycl::bit_cast<std::uint16_t>(x);
  if (x != x || y != y) return half(float(x) + float(y));
  if (x == y) return y;
  if (x == 0.0f) return sycl::bit_cast<half>(static_cast<std::uint16_t>(y < 0.0f ? 0x8001u : 1u));
  return sycl::bit_cast<half>(static_cast<std::uint16_t>((x < y) == (x > 0.0f) ? bits + 1u : bits - 1u));
}
SINTER_ELEMENT_WISE_2(nextafter, float_vector)

template <detail::named<float> = void>
float fma(float x, float y, float z) noexcept { return __builtin_fmaf(x, y, z); }
template <detail::named<double> = void>
double fma(double x, double y, double z) noexcept { return __builtin_fma(x, y, z); }
/// In float, the product of two halves is exact, and the rounding error of the sum is exact, too.
template <detail::named<half> = void>
half fma(half x, half y, half z) noexcept {
  const float product = float(x) * float(y);
  return half(detail::pairs::odd(detail::pairs::exact_sum(product, z)));
}
SINTER_ELEMENT_WISE_3(fma, float_vector)
template <detail::named<float> = void>
constexpr float mad(float x, float y, float z) noexcept { return x * y + z; }
template <detail::named<double> = void>
constexpr double mad(double x, double y, double z) noexcept { return x * y + z; }
template <detail::named<half> = void>
constexpr half mad(half x, half y, half z) noexcept {
  return half(float(x) * float(y) + float(z));
}
SINTER_ELEMENT_WISE_3(mad, float_vector)

} // namespace sycl

#include "element_wise.hpp"
