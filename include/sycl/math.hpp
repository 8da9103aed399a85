#pragma once
/// Math functions (SYCL 2020 4.17.5 to 4.17.9) for float and double, and element-wise for vec and marray.
///
/// On the host and in library mode they are libm's; in captured kernels capture turns them into LLVM intrinsics or device
/// math without errno (abi/device_abi.hpp).

#include <cstdint>
#include <type_traits>

#include "marray.hpp"
#include "vec.hpp"

namespace sycl {

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T, int Count>
inline constexpr bool is_vector<vec<T, Count>> = true;
template <class T, std::size_t Count>
inline constexpr bool is_vector<marray<T, Count>> = true;

template <class T>
concept vector_type = is_vector<T>;
template <class T>
concept integer_type = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept float_type = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class Vector, class Function, class... Rest>
constexpr Vector element_wise(Function function, const Vector& first, const Rest&... rest) {
  Vector result;
  for (std::size_t i = 0; i < Vector::size(); ++i) result[i] = function(first[i], rest[i]...);
  return result;
}

} // namespace detail

// ---------------------------------------------------------------------------------------------------- libm

// Loops instead of a helper with a lambda: every user's file parses this fifty times.
#define SINTER_MATH_1(name, builtin)                                                                   \
  inline float name(float x) noexcept { return __builtin_##builtin##f(x); }                            \
  inline double name(double x) noexcept { return __builtin_##builtin(x); }                             \
  template <detail::integer_type T>                                                                    \
  double name(T x) noexcept {                                                                          \
    return name(double(x));                                                                            \
  }                                                                                                    \
  template <detail::vector_type T>                                                                     \
  T name(T x) noexcept {                                                                               \
    for (int i = 0; i < int(T::size()); ++i) x[i] = name(x[i]);                                        \
    return x;                                                                                          \
  }
#define SINTER_MATH_2(name, builtin)                                                                   \
  inline float name(float x, float y) noexcept { return __builtin_##builtin##f(x, y); }                \
  inline double name(double x, double y) noexcept { return __builtin_##builtin(x, y); }                \
  template <detail::vector_type T>                                                                     \
  T name(T x, const T& y) noexcept {                                                                   \
    for (int i = 0; i < int(T::size()); ++i) x[i] = name(x[i], y[i]);                                  \
    return x;                                                                                          \
  }

SINTER_MATH_1(acos, acos)
SINTER_MATH_1(acosh, acosh)
SINTER_MATH_1(asin, asin)
SINTER_MATH_1(asinh, asinh)
SINTER_MATH_1(atan, atan)
SINTER_MATH_1(atanh, atanh)
SINTER_MATH_1(cbrt, cbrt)
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
SINTER_MATH_2(nextafter, nextafter)
SINTER_MATH_2(pow, pow)
SINTER_MATH_2(powr, pow)
SINTER_MATH_2(remainder, remainder)
#undef SINTER_MATH_1
#undef SINTER_MATH_2

inline float exp10(float x) noexcept { return __builtin_powf(10.0f, x); }
inline double exp10(double x) noexcept { return __builtin_pow(10.0, x); }
inline float rsqrt(float x) noexcept { return 1.0f / __builtin_sqrtf(x); }
inline double rsqrt(double x) noexcept { return 1.0 / __builtin_sqrt(x); }
inline float fma(float x, float y, float z) noexcept { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) noexcept { return __builtin_fma(x, y, z); }
inline float mad(float x, float y, float z) noexcept { return x * y + z; }
inline double mad(double x, double y, double z) noexcept { return x * y + z; }
inline float pown(float x, int n) noexcept { return __builtin_powf(x, static_cast<float>(n)); }
inline double pown(double x, int n) noexcept { return __builtin_pow(x, static_cast<double>(n)); }
inline float ldexp(float x, int n) noexcept { return __builtin_ldexpf(x, n); }
inline double ldexp(double x, int n) noexcept { return __builtin_ldexp(x, n); }
inline int ilogb(float x) noexcept { return __builtin_ilogbf(x); }
inline int ilogb(double x) noexcept { return __builtin_ilogb(x); }
inline float frexp(float x, int* exponent) noexcept { return __builtin_frexpf(x, exponent); }
inline double frexp(double x, int* exponent) noexcept { return __builtin_frexp(x, exponent); }
inline float modf(float x, float* whole) noexcept { return __builtin_modff(x, whole); }
inline double modf(double x, double* whole) noexcept { return __builtin_modf(x, whole); }
inline float sincos(float x, float* cosine) noexcept {
  *cosine = __builtin_cosf(x);
  return __builtin_sinf(x);
}
inline double sincos(double x, double* cosine) noexcept {
  *cosine = __builtin_cos(x);
  return __builtin_sin(x);
}
template <detail::vector_type Vector>
inline Vector rsqrt(const Vector& x) noexcept {
  return detail::element_wise([](auto a) { return rsqrt(a); }, x);
}
template <detail::vector_type Vector>
inline Vector fma(const Vector& x, const Vector& y, const Vector& z) noexcept {
  return detail::element_wise([](auto a, auto b, auto c) { return fma(a, b, c); }, x, y, z);
}
template <detail::vector_type Vector>
inline Vector mad(const Vector& x, const Vector& y, const Vector& z) noexcept {
  return detail::element_wise([](auto a, auto b, auto c) { return mad(a, b, c); }, x, y, z);
}
template <detail::vector_type Vector>
inline Vector fmax(const Vector& x, typename Vector::value_type y) noexcept {
  return fmax(x, Vector(y));
}
template <detail::vector_type Vector>
inline Vector fmin(const Vector& x, typename Vector::value_type y) noexcept {
  return fmin(x, Vector(y));
}

/// Relaxed accuracy is allowed; these are the precise functions (SYCL 2020 4.17.5).
namespace native {
inline float cos(float x) noexcept { return sycl::cos(x); }
inline float exp(float x) noexcept { return sycl::exp(x); }
inline float exp2(float x) noexcept { return sycl::exp2(x); }
inline float exp10(float x) noexcept { return sycl::exp10(x); }
inline float log(float x) noexcept { return sycl::log(x); }
inline float log2(float x) noexcept { return sycl::log2(x); }
inline float log10(float x) noexcept { return sycl::log10(x); }
inline float sin(float x) noexcept { return sycl::sin(x); }
inline float sqrt(float x) noexcept { return sycl::sqrt(x); }
inline float tan(float x) noexcept { return sycl::tan(x); }
inline float rsqrt(float x) noexcept { return sycl::rsqrt(x); }
inline float recip(float x) noexcept { return 1.0f / x; }
inline float divide(float x, float y) noexcept { return x / y; }
inline float powr(float x, float y) noexcept { return sycl::powr(x, y); }
} // namespace native

// ---------------------------------------------------------------------------------------------------- common, integer

template <class T>
  requires std::is_arithmetic_v<T>
constexpr T min(T x, T y) noexcept {
  return y < x ? y : x;
}
template <class T>
  requires std::is_arithmetic_v<T>
constexpr T max(T x, T y) noexcept {
  return x < y ? y : x;
}
template <class T>
  requires std::is_arithmetic_v<T>
constexpr T clamp(T x, T low, T high) noexcept {
  return min(max(x, low), high);
}
template <detail::vector_type Vector>
constexpr Vector min(const Vector& x, const Vector& y) noexcept {
  return detail::element_wise([](auto a, auto b) { return min(a, b); }, x, y);
}
template <detail::vector_type Vector>
constexpr Vector max(const Vector& x, const Vector& y) noexcept {
  return detail::element_wise([](auto a, auto b) { return max(a, b); }, x, y);
}
template <detail::vector_type Vector>
constexpr Vector min(const Vector& x, typename Vector::value_type y) noexcept {
  return min(x, Vector(y));
}
template <detail::vector_type Vector>
constexpr Vector max(const Vector& x, typename Vector::value_type y) noexcept {
  return max(x, Vector(y));
}
template <detail::vector_type Vector>
constexpr Vector clamp(const Vector& x, const Vector& low, const Vector& high) noexcept {
  return min(max(x, low), high);
}
template <detail::vector_type Vector>
constexpr Vector clamp(const Vector& x, typename Vector::value_type low, typename Vector::value_type high) noexcept {
  return min(max(x, low), high);
}

template <detail::float_type T>
constexpr T degrees(T radians) noexcept {
  return radians * static_cast<T>(57.295779513082320876798154814105);
}
template <detail::float_type T>
constexpr T radians(T degrees) noexcept {
  return degrees * static_cast<T>(0.017453292519943295769236907684886);
}
template <detail::float_type T>
constexpr T mix(T x, T y, T a) noexcept {
  return x + (y - x) * a;
}
template <detail::float_type T>
constexpr T step(T edge, T x) noexcept {
  return x < edge ? T{0} : T{1};
}
template <detail::float_type T>
constexpr T smoothstep(T edge0, T edge1, T x) noexcept {
  const T t = clamp((x - edge0) / (edge1 - edge0), T{0}, T{1});
  return t * t * (T{3} - T{2} * t);
}
template <detail::float_type T>
constexpr T sign(T x) noexcept {
  return x != x ? T{0} : x > T{0} ? T{1} : x < T{0} ? T{-1} : x;
}
template <detail::vector_type Vector>
constexpr Vector mix(const Vector& x, const Vector& y, const Vector& a) noexcept {
  return x + (y - x) * a;
}
template <detail::vector_type Vector>
constexpr Vector mix(const Vector& x, const Vector& y, typename Vector::value_type a) noexcept {
  return x + (y - x) * Vector(a);
}

template <detail::integer_type T>
constexpr T abs(T x) noexcept {
  if constexpr (std::is_signed_v<T>) {
    return x < 0 ? static_cast<T>(-x) : x;
  } else {
    return x;
  }
}
template <detail::integer_type T>
constexpr T popcount(T x) noexcept {
  return static_cast<T>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(x)));
}
template <detail::integer_type T>
constexpr T clz(T x) noexcept {
  const auto bits = static_cast<unsigned long long>(static_cast<std::make_unsigned_t<T>>(x));
  return static_cast<T>(bits == 0 ? sizeof(T) * 8 : __builtin_clzll(bits) - (64 - sizeof(T) * 8));
}
template <detail::integer_type T>
constexpr T ctz(T x) noexcept {
  const auto bits = static_cast<unsigned long long>(static_cast<std::make_unsigned_t<T>>(x));
  return static_cast<T>(bits == 0 ? sizeof(T) * 8 : __builtin_ctzll(bits));
}

// ---------------------------------------------------------------------------------------------------- geometric

template <detail::float_type T>
constexpr T dot(T x, T y) noexcept {
  return x * y;
}
template <detail::vector_type Vector>
constexpr auto dot(const Vector& x, const Vector& y) noexcept {
  typename Vector::value_type sum{};
  for (std::size_t i = 0; i < Vector::size(); ++i) sum += x[i] * y[i];
  return sum;
}
template <detail::vector_type Vector>
inline auto length(const Vector& x) noexcept {
  return sqrt(dot(x, x));
}
template <detail::vector_type Vector>
inline auto distance(const Vector& x, const Vector& y) noexcept {
  return length(x - y);
}
template <detail::vector_type Vector>
inline Vector normalize(const Vector& x) noexcept {
  return x / Vector(length(x));
}
template <class T>
constexpr vec<T, 3> cross(const vec<T, 3>& a, const vec<T, 3>& b) noexcept {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// ---------------------------------------------------------------------------------------------------- relational

inline bool isnan(float x) noexcept { return __builtin_isnan(x); }
inline bool isnan(double x) noexcept { return __builtin_isnan(x); }
inline bool isinf(float x) noexcept { return __builtin_isinf(x); }
inline bool isinf(double x) noexcept { return __builtin_isinf(x); }
inline bool isfinite(float x) noexcept { return __builtin_isfinite(x); }
inline bool isfinite(double x) noexcept { return __builtin_isfinite(x); }
inline bool isnormal(float x) noexcept { return __builtin_isnormal(x); }
inline bool isnormal(double x) noexcept { return __builtin_isnormal(x); }
inline bool signbit(float x) noexcept { return __builtin_signbit(x); }
inline bool signbit(double x) noexcept { return __builtin_signbit(x); }
template <class T>
  requires std::is_arithmetic_v<T>
constexpr T select(T x, T y, bool choose_y) noexcept {
  return choose_y ? y : x;
}

} // namespace sycl
