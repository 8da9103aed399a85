#pragma once
/// sycl_ext_oneapi_bfloat16_math_functions: math functions for bfloat16 and marray<bfloat16>. The functions compute in
/// float and round to nearest even. fma rounds only once.

#include <cstddef>
#include <cstdint>

#include "../../../bit_cast.hpp"
#include "../../../detail/export.hpp"
#include "../../../marray.hpp"
#include "../../../math.hpp"
#include "../bfloat16.hpp"

#define SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS 1

namespace sycl::inline _V1 {
namespace ext::oneapi::experimental {

SINTER_DEVICE_INLINE bool isnan(bfloat16 x) noexcept { return float(x) != float(x); }
SINTER_DEVICE_INLINE bfloat16 fabs(bfloat16 x) noexcept { return bfloat16(sycl::fabs(float(x))); }
SINTER_DEVICE_INLINE bfloat16 fmin(bfloat16 x, bfloat16 y) noexcept { return bfloat16(sycl::fmin(float(x), float(y))); }
SINTER_DEVICE_INLINE bfloat16 fmax(bfloat16 x, bfloat16 y) noexcept { return bfloat16(sycl::fmax(float(x), float(y))); }
SINTER_DEVICE_INLINE bfloat16 fma(bfloat16 a, bfloat16 b, bfloat16 c) noexcept {
  // The result is rounded twice: to float and to bfloat16. The second rounding can be wrong only if the float is
  // half-way between two numbers of type bfloat16. In this case, the code below determines in which direction the first
  // rounding went. The code compares a * b - near with -c. The difference a * b - near is exact if the product is near
  // -c.
  const float near = sycl::fma(float(a), float(b), float(c));
  auto bits = sycl::bit_cast<std::uint32_t>(near);
  const float product_behind = sycl::fma(float(a), float(b), -near), least = -float(c);
  const bool is_above = product_behind > least, is_below = product_behind < least;
  if ((bits & 0xffffu) == 0x8000u && (is_above || is_below)) bits += is_above == (near > 0) ? 1u : ~0u;
  return bfloat16(sycl::bit_cast<float>(bits));
}

#define SINTER_BFLOAT16_MATH(name) \
  SINTER_DEVICE_INLINE bfloat16 name(bfloat16 x) noexcept { return bfloat16(sycl::name(float(x))); }
SINTER_BFLOAT16_MATH(ceil)
SINTER_BFLOAT16_MATH(floor)
SINTER_BFLOAT16_MATH(rint)
SINTER_BFLOAT16_MATH(trunc)
SINTER_BFLOAT16_MATH(sqrt)
SINTER_BFLOAT16_MATH(rsqrt)
SINTER_BFLOAT16_MATH(cos)
SINTER_BFLOAT16_MATH(sin)
SINTER_BFLOAT16_MATH(exp)
SINTER_BFLOAT16_MATH(exp2)
SINTER_BFLOAT16_MATH(exp10)
SINTER_BFLOAT16_MATH(log)
SINTER_BFLOAT16_MATH(log2)
SINTER_BFLOAT16_MATH(log10)
#undef SINTER_BFLOAT16_MATH

// These functions apply the functions above to each element of an marray.
template <std::size_t N>
SINTER_DEVICE_INLINE marray<bool, N> isnan(const marray<bfloat16, N>& x) noexcept {
  marray<bool, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = isnan(x[i]);
  return result;
}
#define SINTER_BFLOAT16_MATH_1(name)                                                              \
  template <std::size_t N>                                                                        \
  SINTER_DEVICE_INLINE marray<bfloat16, N> name(const marray<bfloat16, N>& x) noexcept {          \
    marray<bfloat16, N> result;                                                                   \
    for (std::size_t i = 0; i < N; ++i) result[i] = name(x[i]);                                   \
    return result;                                                                                \
  }
#define SINTER_BFLOAT16_MATH_2(name)                                                                                 \
  template <std::size_t N>                                                                                           \
  SINTER_DEVICE_INLINE marray<bfloat16, N> name(const marray<bfloat16, N>& x, const marray<bfloat16, N>& y) noexcept { \
    marray<bfloat16, N> result;                                                                                      \
    for (std::size_t i = 0; i < N; ++i) result[i] = name(x[i], y[i]);                                                \
    return result;                                                                                                   \
  }
SINTER_BFLOAT16_MATH_1(fabs)
SINTER_BFLOAT16_MATH_1(ceil)
SINTER_BFLOAT16_MATH_1(floor)
SINTER_BFLOAT16_MATH_1(rint)
SINTER_BFLOAT16_MATH_1(trunc)
SINTER_BFLOAT16_MATH_1(sqrt)
SINTER_BFLOAT16_MATH_1(rsqrt)
SINTER_BFLOAT16_MATH_1(cos)
SINTER_BFLOAT16_MATH_1(sin)
SINTER_BFLOAT16_MATH_1(exp)
SINTER_BFLOAT16_MATH_1(exp2)
SINTER_BFLOAT16_MATH_1(exp10)
SINTER_BFLOAT16_MATH_1(log)
SINTER_BFLOAT16_MATH_1(log2)
SINTER_BFLOAT16_MATH_1(log10)
SINTER_BFLOAT16_MATH_2(fmin)
SINTER_BFLOAT16_MATH_2(fmax)
#undef SINTER_BFLOAT16_MATH_1
#undef SINTER_BFLOAT16_MATH_2
template <std::size_t N>
SINTER_DEVICE_INLINE marray<bfloat16, N> fma(const marray<bfloat16, N>& a, const marray<bfloat16, N>& b,
                                             const marray<bfloat16, N>& c) noexcept {
  marray<bfloat16, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = fma(a[i], b[i], c[i]);
  return result;
}

}  // namespace ext::oneapi::experimental

// sycl_ext_oneapi_bfloat16 has these functions in the namespace of the type, too.
namespace ext::oneapi {
using experimental::isnan, experimental::fabs, experimental::fmin, experimental::fmax, experimental::fma;
using experimental::ceil, experimental::floor, experimental::rint, experimental::trunc;
using experimental::sqrt, experimental::rsqrt, experimental::cos, experimental::sin;
using experimental::exp, experimental::exp2, experimental::exp10;
using experimental::log, experimental::log2, experimental::log10;
}  // namespace ext::oneapi
}  // namespace sycl
