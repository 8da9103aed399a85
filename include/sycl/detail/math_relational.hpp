#pragma once
/// Relational functions (SYCL 2020 4.17.9). The results are bool for scalars and marray<bool> for marrays. For vecs,
/// they are vecs of signed integers as wide as the elements, in which -1 means true.

#include <cstdint>
#include <type_traits>

#include "../bit_cast.hpp"
#include "vector_traits.hpp"

namespace sycl::inline _V1 {

#define SINTER_RELATION_1(name, of_float, of_double)               \
  template <detail::named<float> = void>                           \
  bool name(float x) noexcept { return of_float; }                 \
  template <detail::named<double> = void>                          \
  bool name(double x) noexcept { return of_double; }               \
  template <detail::named<half> = void>                            \
  bool name(half x) noexcept { return name(float(x)); }            \
  template <detail::float_argument A>                              \
  constexpr detail::mask_t<A> name(const A& x) noexcept {          \
    detail::mask_t<A> result{};                                    \
    for (int i = 0; i < detail::count<A>; ++i) {                   \
      detail::set_part(result, i, -int(name(detail::part(x, i)))); \
    }                                                              \
    return result;                                                 \
  }
// With -ffast-math, the compiler replaces these functions by constants and warns. The user of -ffast-math has accepted
// this, so the warning is disabled.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wnan-infinity-disabled"
#endif
SINTER_RELATION_1(isfinite, __builtin_isfinite(x), __builtin_isfinite(x))
SINTER_RELATION_1(isinf, __builtin_isinf(x), __builtin_isinf(x))
SINTER_RELATION_1(isnan, __builtin_isnan(x), __builtin_isnan(x))
#ifdef __clang__
#pragma clang diagnostic pop
#endif
SINTER_RELATION_1(signbit, __builtin_signbit(x), __builtin_signbit(x))
#undef SINTER_RELATION_1

template <detail::named<float> = void>
bool isnormal(float x) noexcept { return __builtin_isnormal(x); }
template <detail::named<double> = void>
bool isnormal(double x) noexcept { return __builtin_isnormal(x); }
/// Tests the bits instead of calling isnormal of float, because even subnormal halves become normal floats.
template <detail::named<half> = void> bool isnormal(half x) noexcept {
  const unsigned exponent = sycl::bit_cast<std::uint16_t>(x) & 0x7c00u;
  return exponent != 0 && exponent != 0x7c00u;
}
template <detail::float_vector A>
constexpr detail::mask_t<A> isnormal(const A& x) noexcept {
  detail::mask_t<A> result{};
  for (int i = 0; i < int(result.size()); ++i) result[i] = -int(isnormal(x[i]));
  return result;
}

#define SINTER_RELATION_2(name, truth)                                                 \
  template <detail::named<float> = void>                                               \
  constexpr bool name(float x, float y) noexcept { return truth; }                     \
  template <detail::named<double> = void>                                              \
  constexpr bool name(double x, double y) noexcept { return truth; }                   \
  template <detail::named<half> = void>                                                \
  constexpr bool name(half x, half y) noexcept { return name(float(x), float(y)); }    \
  template <detail::float_argument A, detail::like<A> B>                               \
  constexpr detail::mask_t<A> name(const A& x, const B& y) noexcept {                  \
    detail::mask_t<A> result{};                                                        \
    for (int i = 0; i < detail::count<A>; ++i) {                                       \
      detail::set_part(result, i, -int(name(detail::part(x, i), detail::part(y, i)))); \
    }                                                                                  \
    return result;                                                                     \
  }
SINTER_RELATION_2(isequal, x == y)
SINTER_RELATION_2(isnotequal, x != y)
SINTER_RELATION_2(isgreater, x > y)
SINTER_RELATION_2(isgreaterequal, x >= y)
SINTER_RELATION_2(isless, x < y)
SINTER_RELATION_2(islessequal, x <= y)
SINTER_RELATION_2(islessgreater, (x < y) || (x > y))
SINTER_RELATION_2(isordered, x == x && y == y)
SINTER_RELATION_2(isunordered, x != x || y != y)
#undef SINTER_RELATION_2

// ---------------------------------------------------------------------------------------------------- masks

namespace detail {

template <class T>
concept truth_array = vector_type<T> && !vector_traits<T>::is_vec && std::is_same_v<element_t<T>, bool>;
template <class T>
concept mask_vector = integer_vector<T> && std::is_signed_v<element_t<T>>;
/// The result type of any and all: int for vec, bool for marray.
template <class T>
using verdict_t = std::conditional_t<vector_traits<T>::is_vec, int, bool>;

} // namespace detail

/// any() tests whether the most significant bit is set in at least one element, and all() tests whether it is set in
/// all elements. Both functions are deprecated for scalars and for marrays of integers.
template <class T>
  requires(std::is_integral_v<T> && std::is_signed_v<T>)
constexpr bool any(T x) noexcept {
  return x < 0;
}
template <class T>
  requires(std::is_integral_v<T> && std::is_signed_v<T>)
constexpr bool all(T x) noexcept {
  return x < 0;
}
template <detail::mask_vector A>
constexpr detail::verdict_t<A> any(const A& x) noexcept {
  bool result = false;
  for (int i = 0; i < int(x.size()); ++i) result |= x[i] < 0;
  return result;
}
template <detail::mask_vector A>
constexpr detail::verdict_t<A> all(const A& x) noexcept {
  bool result = true;
  for (int i = 0; i < int(x.size()); ++i) result &= x[i] < 0;
  return result;
}
template <detail::truth_array A>
constexpr bool any(const A& x) noexcept {
  bool result = false;
  for (bool element : x) result |= element;
  return result;
}
template <detail::truth_array A>
constexpr bool all(const A& x) noexcept {
  bool result = true;
  for (bool element : x) result &= element;
  return result;
}

/// The result has the bits of `b` where `c` has a one, and the bits of `a` where `c` has a zero.
template <detail::scalar_type T, class = T, class = T>
constexpr T bitselect(T a, T b, T c) noexcept {
  using bits = detail::unsigned_of_size<sizeof(T)>;
  const auto mask = sycl::bit_cast<bits>(c);
  return sycl::bit_cast<T>(static_cast<bits>((sycl::bit_cast<bits>(a) & ~mask) | (sycl::bit_cast<bits>(b) & mask)));
}
template <detail::vector_type A, detail::like<A> B, detail::like<A> C>
constexpr detail::vector_t<A> bitselect(const A& a, const B& b, const C& c) noexcept {
  detail::vector_t<A> result{};
  for (int i = 0; i < int(result.size()); ++i) result[i] = bitselect(a[i], b[i], c[i]);
  return result;
}

/// Returns `b` if `c` is true, otherwise `a`. In a vec, an element of `c` is true if its most significant bit is set.
template <detail::scalar_type T, class = T, class = bool>
constexpr T select(T a, std::type_identity_t<T> b, bool c) noexcept {
  return c ? b : a;
}
template <detail::vector_type A, detail::like<A> B, detail::integer_vector C>
  requires(detail::vector_traits<A>::is_vec && sizeof(detail::element_t<C>) == sizeof(detail::element_t<A>) &&
           detail::like_of<C, A, detail::element_t<C>>)
constexpr detail::vector_t<A> select(const A& a, const B& b, const C& c) noexcept {
  using sign = detail::mask_integer_t<detail::element_t<C>>;
  detail::vector_t<A> result{};
  for (int i = 0; i < int(result.size()); ++i) result[i] = static_cast<sign>(c[i]) < 0 ? b[i] : a[i];
  return result;
}
template <detail::vector_type A, detail::like<A> B, detail::truth_array C>
  requires(!detail::vector_traits<A>::is_vec && C::size() == A::size())
constexpr detail::vector_t<A> select(const A& a, const B& b, const C& c) noexcept {
  detail::vector_t<A> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = c[i] ? b[i] : a[i];
  return result;
}

} // namespace sycl
