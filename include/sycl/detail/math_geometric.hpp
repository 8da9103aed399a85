#pragma once
/// Geometric functions (SYCL 2020 4.17.8) of scalars and of vectors with two to four elements.

#include <type_traits>

#include "math_functions.hpp"
#include "vector_traits.hpp"

namespace sycl::inline _V1 {

namespace detail {

template <class T>
concept geometric_vector = float_vector<T> && vector_traits<T>::count <= 4;
template <class T>
concept geometric_single = geometric_vector<T> && single_vector<T>;
template <class T>
concept cross_vector = float_vector<T> && (vector_traits<T>::count == 3 || vector_traits<T>::count == 4);

/// half is computed in float, where sums of squares of half neither overflow nor become zero.
template <class F>
using square_t = std::conditional_t<std::is_same_v<F, double>, double, float>;

template <geometric_vector A>
constexpr auto sum_of_squares(const A& x, square_t<element_t<A>> scale) noexcept {
  using wide = square_t<element_t<A>>;
  wide sum{};
  for (int i = 0; i < int(x.size()); ++i) {
    const wide part = static_cast<wide>(x[i]) * scale;
    sum += part * part;
  }
  return sum;
}
/// Computes the length times `scale`, a power of two that keeps the squares in the range of double.
template <geometric_vector A>
  requires(!std::is_same_v<element_t<A>, float>)
auto scaled_length(const A& x, square_t<element_t<A>>& scale) noexcept {
  scale = 1;
  auto sum = sum_of_squares(x, scale);
  if constexpr (std::is_same_v<element_t<A>, double>) {
    const bool large = !(sum < 0x1p1000), small = sum < 0x1p-900;
    scale = large ? 0x1p-600 : small ? 0x1p600 : 1.0;
    if (large || small) sum = sum_of_squares(x, scale);
  }
  return sycl::sqrt(sum);
}

template <class A>
concept vector_of_floats = geometric_vector<A> && std::is_same_v<element_t<A>, float>;

/// Computes the length times `scale`, a power of two that keeps the squares in the range of float. Devices may have no
/// double, so this function does not use double.
template <vector_of_floats A>
float scaled_length(const A& x, float& scale) noexcept {
  float most = sycl::fabs(x[0]);
  for (int i = 1; i < int(x.size()); ++i) most = sycl::fmax(most, sycl::fabs(x[i]));
  scale = most < 0x1p-40f ? 0x1p100f : most >= 0x1p60f ? 0x1p-70f : 1.0f;
  return sycl::sqrt(sum_of_squares(x, scale));
}
template <vector_of_floats A>
float length_of_floats(const A& x) noexcept {
  float scale = 1.0f;
  const float size = scaled_length(x, scale);
  return size * (scale == 1.0f ? 1.0f : scale < 1.0f ? 0x1p70f : 0x1p-100f);
}
template <vector_of_floats A>
vector_t<A> normalized_floats(const A& x) noexcept {
  float scale = 1.0f;
  const float scaled = scaled_length(x, scale);
  // Large vectors are scaled by another number than in length_of_floats. With the number of length_of_floats, small
  // elements would lose bits.
  const bool is_large = scale < 1.0f;
  const float size = scaled * (is_large ? 0x1p30f : 1.0f), scale_of_elements = is_large ? 0x1p-40f : scale;
  vector_t<A> result(x);
  for (int i = 0; i < int(x.size()); ++i) result[i] = size == 0.0f ? x[i] : x[i] * scale_of_elements / size;
  return result;
}

} // namespace detail

#define SINTER_GEOMETRIC(F)                                    \
  constexpr F dot(F x, F y) noexcept { return x * y; }         \
  inline F length(F x) noexcept { return fabs(x); }            \
  inline F distance(F x, F y) noexcept { return fabs(x - y); } \
  constexpr F normalize(F x) noexcept { return x > F(0.0f) ? F(1.0f) : x < F(0.0f) ? F(-1.0f) : x; }
SINTER_GEOMETRIC(float)
SINTER_GEOMETRIC(double)
SINTER_GEOMETRIC(half)
#undef SINTER_GEOMETRIC
// These overloads are for calls with explicit template arguments, which the specification allows.
template <detail::float_type F, class = F>
constexpr F dot(F x, F y) noexcept {
  return dot(x, y);
}
template <detail::float_type F>
inline F length(F x) noexcept {
  return length(x);
}
template <detail::float_type F, class = F>
inline F distance(F x, F y) noexcept {
  return distance(x, y);
}
template <detail::float_type F>
constexpr F normalize(F x) noexcept {
  return normalize(x);
}

/// The fourth element of the result, if there is one, is zero.
template <detail::cross_vector A, detail::like<A> B>
constexpr detail::vector_t<A> cross(const A& a, const B& b) noexcept {
  detail::vector_t<A> result{};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    result[i] = a[j] * b[k] - a[k] * b[j];
  }
  return result;
}
template <detail::geometric_vector A, detail::like<A> B>
constexpr detail::element_t<A> dot(const A& x, const B& y) noexcept {
  detail::computed_t<detail::element_t<A>> sum{};
  for (int i = 0; i < int(x.size()); ++i) sum += x[i] * y[i];
  return static_cast<detail::element_t<A>>(sum);
}
template <detail::geometric_vector A>
inline detail::element_t<A> length(const A& x) noexcept {
  if constexpr (detail::vector_of_floats<A>) {
    return detail::length_of_floats(x);
  } else {
    detail::square_t<detail::element_t<A>> scale{};
    return static_cast<detail::element_t<A>>(detail::scaled_length(x, scale) / scale);
  }
}
template <detail::geometric_vector A, detail::like<A> B>
inline detail::element_t<A> distance(const A& x, const B& y) noexcept {
  return length(detail::vector_t<A>(x) - detail::vector_t<A>(y));
}
/// Returns zero for a vector of zeros.
template <detail::geometric_vector A>
inline detail::vector_t<A> normalize(const A& x) noexcept {
  if constexpr (detail::vector_of_floats<A>) {
    return detail::normalized_floats(x);
  } else {
    detail::square_t<detail::element_t<A>> scale{};
    const auto size = detail::scaled_length(x, scale);
    detail::vector_t<A> result(x);
    if (size == 0) return result;
    for (int i = 0; i < int(x.size()); ++i) result[i] = static_cast<detail::element_t<A>>(x[i] * scale / size);
    return result;
  }
}

/// The specification allows relaxed accuracy for the fast functions.
inline float fast_length(float x) noexcept { return length(x); }
inline float fast_distance(float x, float y) noexcept { return distance(x, y); }
inline float fast_normalize(float x) noexcept { return normalize(x); }
template <class F, class = F>
  requires(std::is_same_v<F, float>)
inline float fast_distance(F x, F y) noexcept {
  return distance(x, y);
}
template <class F>
  requires(std::is_same_v<F, float>)
inline float fast_length(F x) noexcept {
  return length(x);
}
template <class F>
  requires(std::is_same_v<F, float>)
inline float fast_normalize(F x) noexcept {
  return normalize(x);
}
template <detail::geometric_single A>
inline float fast_length(const A& x) noexcept {
  return sqrt(dot(x, x));
}
template <detail::geometric_single A, detail::like<A> B>
inline float fast_distance(const A& x, const B& y) noexcept {
  return fast_length(detail::vector_t<A>(x) - detail::vector_t<A>(y));
}
template <detail::geometric_single A>
inline detail::vector_t<A> fast_normalize(const A& x) noexcept {
  const float square = dot(x, x);
  return detail::vector_t<A>(x) * (square == 0.0f ? 0.0f : rsqrt(square));
}

} // namespace sycl
