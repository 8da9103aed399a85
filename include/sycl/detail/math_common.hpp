#pragma once
/// Common functions (SYCL 2020 4.17.7), and clamp, max and min of integers (4.17.6).

#include <type_traits>

#include "element_wise.hpp"
#include "vector_traits.hpp"

namespace sycl::inline _V1 {

namespace detail {

template <class T>
concept number_vector = float_vector<T> || integer_vector<T>;
template <class T>
concept number_argument = float_argument<T> || integer_vector<T>;

/// The scalar functions have a namespace of their own, because argument-dependent lookup for swizzles would find them
/// in namespace detail.
namespace scalar {

template <class F>
constexpr F max(F x, F y) noexcept {
  return x < y ? y : x;
}
template <class F>
constexpr F min(F x, F y) noexcept {
  return y < x ? y : x;
}
template <class F>
constexpr F clamp(F x, F low, F high) noexcept {
  return scalar::min(scalar::max(x, low), high);
}
template <class F>
constexpr F degrees(F x) noexcept {
  return x * F(57.295779513082320876798154814105);
}
template <class F>
constexpr F radians(F x) noexcept {
  return x * F(0.017453292519943295769236907684886);
}
template <class F>
constexpr F sign(F x) noexcept {
  return x > F(0) ? F(1) : x < F(0) ? F(-1) : x == F(0) ? x : F(0);
}
template <class F>
constexpr F mix(F x, F y, F a) noexcept {
  return x + (y - x) * a;
}
template <class F>
constexpr F step(F edge, F x) noexcept {
  return x < edge ? F(0) : F(1);
}
template <class F>
constexpr F smoothstep(F edge0, F edge1, F x) noexcept {
  const F t = scalar::clamp((x - edge0) / (edge1 - edge0), F(0), F(1));
  return t * t * (F(3) - F(2) * t);
}

} // namespace scalar
} // namespace detail

// The types of floating-point arguments are not deduced, so that in max(x, 0) the 0 converts to the type of x.
#define SINTER_COMMON_1(name)                                                  \
  template <detail::named<float> = void>                                       \
  constexpr float name(float x) noexcept { return detail::scalar::name(x); }   \
  template <detail::named<double> = void>                                      \
  constexpr double name(double x) noexcept { return detail::scalar::name(x); } \
  template <detail::named<half> = void>                                        \
  constexpr half name(half x) noexcept { return half(name(float(x))); }        \
  SINTER_ELEMENT_WISE_1(name, float_argument)
#define SINTER_COMMON_2(name, concept)                                                      \
  template <detail::named<float> = void>                                                    \
  constexpr float name(float x, float y) noexcept { return detail::scalar::name(x, y); }    \
  template <detail::named<double> = void>                                                   \
  constexpr double name(double x, double y) noexcept { return detail::scalar::name(x, y); } \
  template <detail::named<half> = void>                                                     \
  constexpr half name(half x, half y) noexcept { return half(name(float(x), float(y))); }   \
  SINTER_ELEMENT_WISE_2(name, concept)
#define SINTER_COMMON_3(name, concept)                                                                      \
  template <detail::named<float> = void>                                                                    \
  constexpr float name(float x, float y, float z) noexcept { return detail::scalar::name(x, y, z); }        \
  template <detail::named<double> = void>                                                                   \
  constexpr double name(double x, double y, double z) noexcept { return detail::scalar::name(x, y, z); }    \
  template <detail::named<half> = void>                                                                     \
  constexpr half name(half x, half y, half z) noexcept { return half(name(float(x), float(y), float(z))); } \
  SINTER_ELEMENT_WISE_3(name, concept)

// This overload has the same parameters as std::max, and a constraint in addition. So in programs that use the
// namespaces std and sycl, the compiler prefers this overload and the call is not ambiguous.
template <class T>
  requires(detail::integer_type<T>)
constexpr T max(const T& x, const T& y) noexcept {
  return detail::scalar::max(x, y);
}
template <class T>
  requires(detail::integer_type<T>)
constexpr T min(const T& x, const T& y) noexcept {
  return detail::scalar::min(x, y);
}
template <class T>
  requires(detail::integer_type<T>)
constexpr T clamp(const T& x, const T& low, const T& high) noexcept {
  return detail::scalar::clamp(x, low, high);
}
// In the specification, these functions have one template parameter per argument, and a call may specify all of them.
template <detail::integer_type T, class>
constexpr T max(T x, std::type_identity_t<T> y) noexcept {
  return detail::scalar::max(x, y);
}
template <detail::integer_type T, class>
constexpr T min(T x, std::type_identity_t<T> y) noexcept {
  return detail::scalar::min(x, y);
}
template <detail::integer_type T, class, class>
constexpr T clamp(T x, std::type_identity_t<T> low, std::type_identity_t<T> high) noexcept {
  return detail::scalar::clamp(x, low, high);
}
SINTER_COMMON_2(max, number_argument)
SINTER_COMMON_2(min, number_argument)
SINTER_COMMON_3(clamp, number_argument)
SINTER_COMMON_1(degrees)
SINTER_COMMON_1(radians)
SINTER_COMMON_1(sign)
SINTER_COMMON_2(step, float_argument)
SINTER_COMMON_3(mix, float_argument)
SINTER_COMMON_3(smoothstep, float_argument)
#undef SINTER_COMMON_1
#undef SINTER_COMMON_2
#undef SINTER_COMMON_3

// These overloads use one scalar for all elements.
template <detail::number_vector A>
constexpr detail::vector_t<A> max(const A& x, detail::element_t<A> y) noexcept {
  return max(x, detail::vector_t<A>(y));
}
template <detail::number_vector A>
constexpr detail::vector_t<A> min(const A& x, detail::element_t<A> y) noexcept {
  return min(x, detail::vector_t<A>(y));
}
template <detail::number_vector A>
constexpr detail::vector_t<A> clamp(const A& x, detail::element_t<A> low, detail::element_t<A> high) noexcept {
  return clamp(x, detail::vector_t<A>(low), detail::vector_t<A>(high));
}
template <detail::float_vector A, detail::like<A> B>
constexpr detail::vector_t<A> mix(const A& x, const B& y, detail::element_t<A> a) noexcept {
  return mix(x, y, detail::vector_t<A>(a));
}
template <detail::float_vector A>
constexpr detail::vector_t<A> step(detail::element_t<A> edge, const A& x) noexcept {
  return step(detail::vector_t<A>(edge), x);
}
template <detail::float_vector A>
constexpr detail::vector_t<A> smoothstep(detail::element_t<A> edge0, detail::element_t<A> edge1, const A& x) noexcept {
  return smoothstep(detail::vector_t<A>(edge0), detail::vector_t<A>(edge1), x);
}

} // namespace sycl

#include "element_wise.hpp"
