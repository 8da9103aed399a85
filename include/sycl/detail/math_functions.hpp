#pragma once
/// Math functions that libm lacks, or that need several functions of libm (SYCL 2020 4.17.5), and the functions with
/// relaxed accuracy.

#include <cstdint>
#include <type_traits>

#include "../bit_cast.hpp"
#include "float_pairs.hpp"
#include "math_libm.hpp"
#include "vector_traits.hpp"

// This header has to be included last, because math_libm.hpp undefines the macros that this header defines.
#include "element_wise.hpp"

namespace sycl::inline _V1 {

namespace detail {

/// The type in which functions of F compute: float if F is half, otherwise F.
template <float_type F>
using computed_t = std::conditional_t<std::is_same_v<F, half>, float, F>;

template <class F>
inline constexpr F pi = F(3.14159265358979323846);
template <class F>
inline constexpr F one_over_pi = F(0.318309886183790671538);
// The user of -ffast-math has accepted that compilers assume that there are no infinities or NaNs, so the warning is
// not needed.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wnan-infinity-disabled"
#endif
template <class F>
inline constexpr F infinity = F(__builtin_inf());
template <class F>
inline constexpr F not_a_number = F(__builtin_nan(""));
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// Capture finds this function by its name. In kernels, an error of 2 ulp is allowed (SYCL 2020 4.17.5), so the JIT
/// uses faster code for it.
extern "C" inline float __sinter_rsqrt(float x) noexcept { return 1.0f / sycl::sqrt(x); }

/// The functions for float and double. They have a namespace of their own, because argument-dependent lookup for
/// swizzles would find them in namespace detail.
namespace scalar {

template <class F>
bool is_odd(F whole) noexcept {
  return whole - F(2) * sycl::floor(whole * F(0.5)) == F(1);
}

inline float cbrt(float x) noexcept { return __builtin_cbrtf(x); }
/// glibc's cbrt has an error of up to 4 ulp, but only 2 ulp are allowed. So a step of Newton's method corrects its
/// result.
inline double cbrt(double x) noexcept {
  const double root = __builtin_cbrt(x);
  return root != 0.0 && sycl::fabs(root) < infinity<double> ? root - (root - x / (root * root)) / 3.0 : root;
}
template <class F>
F acospi(F x) noexcept {
  return sycl::acos(x) * one_over_pi<F>;
}
template <class F>
F asinpi(F x) noexcept {
  return sycl::asin(x) * one_over_pi<F>;
}
template <class F>
F atanpi(F x) noexcept {
  return sycl::atan(x) * one_over_pi<F>;
}
template <class F>
F atan2pi(F y, F x) noexcept {
  return sycl::atan2(y, x) * one_over_pi<F>;
}
// First reduces x to a small number. The reduction is exact, and the rounding error of pi*x is then small, too.
template <class F>
F sinpi(F x) noexcept {
  const F turn = x - F(2) * sycl::rint(x * F(0.5));
  const F near = sycl::fabs(turn) > F(0.5) ? sycl::copysign(F(1), turn) - turn : turn;
  const F sine = sycl::sin(pi<F> * near);
  return sine == F(0) ? sycl::copysign(F(0), x) : sine;
}
template <class F>
F cospi(F x) noexcept {
  return sycl::sin(pi<F> * (F(0.5) - sycl::fabs(x - F(2) * sycl::rint(x * F(0.5)))));
}
template <class F>
F tanpi(F x) noexcept {
  const F whole = sycl::rint(x), part = x - whole, size = sycl::fabs(part);
  if (part == F(0)) return sycl::copysign(F(0), is_odd(whole) ? -x : x);
  const F tangent = sycl::tan(pi<F> * (size > F(0.25) ? F(0.5) - size : size));
  return sycl::copysign(size > F(0.25) ? F(1) / tangent : tangent, part);
}
template <class F>
F exp10(F x) noexcept {
  return sycl::pow(F(10), x);
}
inline float rsqrt(float x) noexcept { return __sinter_rsqrt(x); }
inline double rsqrt(double x) noexcept { return 1.0 / sycl::sqrt(x); }
template <class F>
F maxmag(F x, F y) noexcept {
  const F a = sycl::fabs(x), b = sycl::fabs(y);
  return a > b ? x : b > a ? y : sycl::fmax(x, y);
}
template <class F>
F minmag(F x, F y) noexcept {
  const F a = sycl::fabs(x), b = sycl::fabs(y);
  return a < b ? x : b < a ? y : sycl::fmin(x, y);
}
/// Computes exp(y * log(x)). The result is NaN if x or y is NaN, or if the product y * log(x) is zero times infinity.
template <class F>
F powr(F x, F y) noexcept {
  const bool undefined = !(x >= F(0)) || y != y || (y == F(0) && (x == F(0) || x == infinity<F>)) ||
                         (x == F(1) && sycl::fabs(y) == infinity<F>);
  return undefined ? not_a_number<F> : sycl::pow(sycl::fabs(x), y);
}
inline float pown(float x, int n) noexcept {
  const float power = pairs::power(pairs::product(pairs::logarithm(sycl::fabs(x)), pairs::pair_of(n)));
  return n == 0 ? 1.0f : x != x ? x : pairs::with_limits(power, x, n);
}
inline double pown(double x, int n) noexcept { return sycl::pow(x, static_cast<double>(n)); }
inline float rootn(float x, int n) noexcept {
  const float root = pairs::power(pairs::quotient(pairs::logarithm(sycl::fabs(x)), pairs::pair_of(n)));
  return n == 0 || x != x || (x < 0.0f && n % 2 == 0) ? not_a_number<float> : pairs::with_limits(root, x, n);
}
/// The exponent 1/n is inexact, so a step of Newton's method corrects the result, which matters for large n. The step
/// divides twice, because a higher power of the root of a very small number would be denormal and inexact.
inline double rootn(double x, int n) noexcept {
  const double size = sycl::fabs(x), degree = sycl::fabs(static_cast<double>(n));
  double root = n == 1 || n == -1 ? size : sycl::pow(size, 1.0 / degree);
  if (root != 0.0 && root < infinity<double> && degree > 1.0) {
    const double power = sycl::pow(root, (degree - 1.0) * 0.5);
    root -= (root - size / power / power) / degree;
  }
  if (n < 0) root = 1.0 / root;
  if (n == 0 || x != x || (x < 0.0 && n % 2 == 0)) return not_a_number<double>;
  return n % 2 != 0 ? sycl::copysign(root, x) : root;
}

template <class F, class Whole>
F fract(F x, Whole& whole) noexcept {
  constexpr F below_one = F(1) - (sizeof(Whole) == 2 ? F(0x1p-11) : sizeof(Whole) == 4 ? F(0x1p-24) : F(0x1p-53));
  whole = static_cast<Whole>(sycl::floor(x));
  if (x == F(0) || sycl::fabs(x) == infinity<F>) return sycl::copysign(F(0), x);
  return x != x ? x : sycl::fmin(x - F(whole), below_one);  // still below 1 after it is rounded to the type Whole
}
template <class F>
F modf(F x, F& whole) noexcept {
  whole = sycl::trunc(x);
  return sycl::copysign(sycl::fabs(x) == infinity<F> ? F(0) : x - whole, x);
}
template <class F>
F sincos(F x, F& cosine) noexcept {
  cosine = sycl::cos(x);
  return sycl::sin(x);
}
/// Works on the bits instead of calling libm: LLVM 22 crashes when it vectorises its intrinsic frexp (VectorCombine
/// fails because the result is a structure).
template <class F>
F frexp(F x, int& exponent) noexcept {
  using bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  constexpr int digits = sizeof(F) == 4 ? 23 : 52, bias = sizeof(F) == 4 ? 126 : 1022, most = 2 * bias + 3;
  const bool tiny = sycl::fabs(x) < (sizeof(F) == 4 ? F(0x1p-126) : F(0x1p-1022));
  const auto raw = sycl::bit_cast<bits>(tiny ? x * F(0x1p64) : x);
  const int biased = static_cast<int>(raw >> digits) & most;
  const bool kept = x == F(0) || biased == most;
  exponent = kept ? 0 : biased - bias - (tiny ? 64 : 0);
  const bits fraction = (raw & ~(bits(most) << digits)) | (bits(bias) << digits);
  return kept ? x : sycl::bit_cast<F>(fraction);
}
/// Computes the sign of the gamma function itself, because libm returns it in a global variable.
template <class F>
F lgamma_r(F x, int& sign) noexcept {
  const F below = sycl::floor(x);
  const bool negative = x == F(0) ? __builtin_signbit(x) != 0 : x < F(0) && below != x && is_odd(below);
  sign = negative ? -1 : 1;
  return sycl::lgamma(x);
}
/// Computes seven bits of the quotient, because libm's remquo guarantees only three.
template <class F>
F remquo(F x, F y, int& quotient) noexcept {
  const F result = sycl::remainder(x, y), divisor = sycl::fabs(y);
  quotient = 0;
  if (result != result || divisor == infinity<F>) return result;
  F dividend = sycl::fabs(x);
  if (divisor * F(128) < infinity<F>) dividend = sycl::fmod(dividend, divisor * F(128));
  const int bits = static_cast<int>(sycl::rint((dividend - sycl::remainder(dividend, divisor)) / divisor)) & 127;
  quotient = (x < F(0)) != (y < F(0)) ? -bits : bits;
  return result;
}

inline float ldexp(float x, int n) noexcept { return __builtin_ldexpf(x, n); }
inline double ldexp(double x, int n) noexcept { return __builtin_ldexp(x, n); }

} // namespace scalar
} // namespace detail

#define SINTER_MATH_1(name)                                          \
  template <detail::named<float> = void>                             \
  float name(float x) noexcept { return detail::scalar::name(x); }   \
  template <detail::named<double> = void>                            \
  double name(double x) noexcept { return detail::scalar::name(x); } \
  template <detail::named<half> = void>                              \
  half name(half x) noexcept { return half(name(float(x))); }        \
  SINTER_OF_INTEGER(name)                                            \
  SINTER_ELEMENT_WISE_1(name, float_argument)
#define SINTER_MATH_2(name)                                                       \
  template <detail::named<float> = void>                                          \
  float name(float x, float y) noexcept { return detail::scalar::name(x, y); }    \
  template <detail::named<double> = void>                                         \
  double name(double x, double y) noexcept { return detail::scalar::name(x, y); } \
  template <detail::named<half> = void>                                           \
  half name(half x, half y) noexcept { return half(name(float(x), float(y))); }   \
  SINTER_ELEMENT_WISE_2(name, float_argument)
SINTER_MATH_1(acospi)
SINTER_MATH_1(asinpi)
SINTER_MATH_1(atanpi)
SINTER_MATH_1(cbrt)
SINTER_MATH_1(cospi)
SINTER_MATH_1(exp10)
SINTER_MATH_1(rsqrt)
SINTER_MATH_1(sinpi)
SINTER_MATH_1(tanpi)
SINTER_MATH_2(atan2pi)
SINTER_MATH_2(maxmag)
SINTER_MATH_2(minmag)
SINTER_MATH_2(powr)
#undef SINTER_MATH_1
#undef SINTER_MATH_2

#define SINTER_MATH_INT(name)                                                           \
  template <detail::named<float> = void>                                                \
  float name(float x, int n) noexcept { return detail::scalar::name(x, n); }            \
  template <detail::named<double> = void>                                               \
  double name(double x, int n) noexcept { return detail::scalar::name(x, n); }          \
  template <detail::named<half> = void>                                                 \
  half name(half x, int n) noexcept { return half(detail::scalar::name(float(x), n)); } \
  template <detail::float_vector A, detail::like_of<A, int> B>                          \
  constexpr detail::vector_t<A> name(const A& x, const B& n) noexcept {                 \
    detail::vector_t<A> result{};                                                       \
    for (int i = 0; i < detail::count<A>; ++i) result[i] = name(x[i], n[i]);            \
    return result;                                                                      \
  }
SINTER_MATH_INT(ldexp)
SINTER_MATH_INT(pown)
SINTER_MATH_INT(rootn)
#undef SINTER_MATH_INT
template <detail::float_vector A>
constexpr detail::vector_t<A> ldexp(const A& x, int n) noexcept {
  return ldexp(x, detail::rebind_t<A, int>(n));
}

template <detail::named<float> = void> int ilogb(float x) noexcept { return __builtin_ilogbf(x); }
template <detail::named<double> = void> int ilogb(double x) noexcept { return __builtin_ilogb(x); }
template <detail::named<half> = void> int ilogb(half x) noexcept { return __builtin_ilogbf(x); }
template <detail::float_vector A>
constexpr detail::rebind_t<A, int> ilogb(const A& x) noexcept {
  detail::rebind_t<A, int> result{};
  for (int i = 0; i < int(result.size()); ++i) result[i] = ilogb(x[i]);
  return result;
}

// Stores the second result of the function through a pointer or multi_ptr to type `Second`.
#define SINTER_MATH_POINTER_OF(name, F, Second)                                                           \
  template <class Pointer>                                                                                \
  F name(F x, Pointer pointer) noexcept {                                                                 \
    Second second{};                                                                                      \
    const F result = static_cast<F>(detail::scalar::name(static_cast<detail::computed_t<F>>(x), second)); \
    *pointer = static_cast<std::remove_reference_t<decltype(*pointer)>>(second);                          \
    return result;                                                                                        \
  }
#define SINTER_MATH_POINTER(name, of_float, of_double, of_half)                          \
  SINTER_MATH_POINTER_OF(name, float, of_float)                                          \
  SINTER_MATH_POINTER_OF(name, double, of_double)                                        \
  SINTER_MATH_POINTER_OF(name, half, of_half)                                            \
  template <detail::float_vector A, class Pointer>                                       \
  detail::vector_t<A> name(const A& x, Pointer pointer) noexcept {                       \
    detail::vector_t<A> result{};                                                        \
    for (int i = 0; i < int(result.size()); ++i) result[i] = name(x[i], &(*pointer)[i]); \
    return result;                                                                       \
  }
SINTER_MATH_POINTER(fract, float, double, half)
SINTER_MATH_POINTER(modf, float, double, float)
SINTER_MATH_POINTER(sincos, float, double, float)
SINTER_MATH_POINTER(frexp, int, int, int)
SINTER_MATH_POINTER(lgamma_r, int, int, int)
#undef SINTER_MATH_POINTER
#undef SINTER_MATH_POINTER_OF

#define SINTER_REMQUO(F)                                                                                      \
  template <class Pointer>                                                                                    \
  F remquo(F x, F y, Pointer pointer) noexcept {                                                              \
    int quotient = 0;                                                                                         \
    using computed = detail::computed_t<F>;                                                                   \
    const F result =                                                                                          \
        static_cast<F>(detail::scalar::remquo(static_cast<computed>(x), static_cast<computed>(y), quotient)); \
    *pointer = quotient;                                                                                      \
    return result;                                                                                            \
  }
SINTER_REMQUO(float)
SINTER_REMQUO(double)
SINTER_REMQUO(half)
#undef SINTER_REMQUO
template <detail::float_vector A, detail::like<A> B, class Pointer>
detail::vector_t<A> remquo(const A& x, const B& y, Pointer pointer) noexcept {
  detail::vector_t<A> result{};
  for (int i = 0; i < int(result.size()); ++i) result[i] = remquo(x[i], y[i], &(*pointer)[i]);
  return result;
}

/// Returns a quiet NaN that contains `code`. The NaN's type is as large as the type of `code`.
template <detail::integer_type T>
  requires(std::is_unsigned_v<T> && sizeof(T) > 1)
constexpr auto nan(T code) noexcept {
  if constexpr (sizeof(T) == 2) {
    return sycl::bit_cast<half>(static_cast<std::uint16_t>(0x7e00u | (code & 0x1ffu)));
  } else if constexpr (sizeof(T) == 4) {
    return sycl::bit_cast<float>(std::uint32_t(0x7fc00000u | (code & 0x3fffffu)));
  } else {
    return sycl::bit_cast<double>(std::uint64_t(0x7ff8000000000000u | (code & 0x7ffffffffffffu)));
  }
}
constexpr float nan(std::uint32_t code) noexcept { return nan<std::uint32_t>(code); }
constexpr double nan(std::uint64_t code) noexcept { return nan<std::uint64_t>(code); }
constexpr half nan(std::uint16_t code) noexcept { return nan<std::uint16_t>(code); }
template <detail::integer_vector A>
constexpr auto nan(const A& code) noexcept {
  detail::rebind_t<A, decltype(sycl::nan(code[0]))> result{};
  for (int i = 0; i < int(result.size()); ++i) result[i] = sycl::nan(code[i]);
  return result;
}

// ---------------------------------------------------------------------------------------------------- relaxed

/// The specification allows any accuracy for these functions. On GPUs most of these functions are single instructions;
/// on CPUs they compute as precisely as the functions outside of namespace native. Capture recognises them by their
/// names, which begin with __sinter_native_.
#define SINTER_MATH_NATIVE(name)                                                                      \
  extern "C" inline float __sinter_native_##name(float x) noexcept { return __builtin_##name##f(x); } \
  namespace native {                                                                                  \
  inline float name(float x) noexcept { return __sinter_native_##name(x); }                           \
  SINTER_ELEMENT_WISE_1(name, single_vector)                                                          \
  }
SINTER_MATH_NATIVE(cos)
SINTER_MATH_NATIVE(exp)
SINTER_MATH_NATIVE(exp2)
SINTER_MATH_NATIVE(log)
SINTER_MATH_NATIVE(log2)
SINTER_MATH_NATIVE(log10)
SINTER_MATH_NATIVE(sin)
SINTER_MATH_NATIVE(sqrt)
SINTER_MATH_NATIVE(tan)
#undef SINTER_MATH_NATIVE
extern "C" inline float __sinter_native_divide(float x, float y) noexcept { return x / y; }

namespace native {
inline float exp10(float x) noexcept { return sycl::exp10(x); }
inline float rsqrt(float x) noexcept { return sycl::rsqrt(x); }
constexpr float divide(float x, float y) noexcept {
  return __builtin_is_constant_evaluated() ? x / y : __sinter_native_divide(x, y);
}
constexpr float recip(float x) noexcept { return divide(1.0f, x); }
inline float powr(float x, float y) noexcept { return sycl::powr(x, y); }
SINTER_ELEMENT_WISE_1(exp10, single_vector)
SINTER_ELEMENT_WISE_1(rsqrt, single_vector)
SINTER_ELEMENT_WISE_1(recip, single_vector)
SINTER_ELEMENT_WISE_2(divide, single_vector)
SINTER_ELEMENT_WISE_2(powr, single_vector)
} // namespace native

/// These functions are deprecated in SYCL 2020. The specification allows an error of 8192 ulp. Instructions of GPUs
/// have larger errors for some arguments, so all devices use the precise functions here.
namespace half_precision {
#define SINTER_MATH_HALF_PRECISION(name)                        \
  inline float name(float x) noexcept { return sycl::name(x); } \
  SINTER_ELEMENT_WISE_1(name, single_vector)
SINTER_MATH_HALF_PRECISION(cos)
SINTER_MATH_HALF_PRECISION(exp)
SINTER_MATH_HALF_PRECISION(exp2)
SINTER_MATH_HALF_PRECISION(log)
SINTER_MATH_HALF_PRECISION(log2)
SINTER_MATH_HALF_PRECISION(log10)
SINTER_MATH_HALF_PRECISION(sin)
SINTER_MATH_HALF_PRECISION(sqrt)
SINTER_MATH_HALF_PRECISION(tan)
#undef SINTER_MATH_HALF_PRECISION
using native::exp10, native::rsqrt, native::powr;  // these functions are precise in namespace native, too
constexpr float recip(float x) noexcept { return 1.0f / x; }
constexpr float divide(float x, float y) noexcept { return x / y; }
SINTER_ELEMENT_WISE_1(recip, single_vector)
SINTER_ELEMENT_WISE_2(divide, single_vector)
} // namespace half_precision

} // namespace sycl

#include "element_wise.hpp"
