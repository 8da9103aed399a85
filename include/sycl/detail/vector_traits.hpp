#pragma once
/// Traits by which the math functions classify their arguments: scalars, and vectors, which are vecs, swizzles and
/// marrays.

#include "../marray.hpp"
#include "../vec.hpp"

namespace sycl::inline _V1::detail {

template <class T>
struct vector_traits {
  static constexpr bool is_vector = false, is_vec = false;
  using element = void;
};
template <class T, int Count>
struct vector_traits<vec<T, Count>> {
  static constexpr bool is_vector = true, is_vec = true;
  static constexpr int count = Count;
  using type = vec<T, Count>;
  using element = T;
  template <class Other>
  using rebind = vec<Other, Count>;
  using mask = vec<mask_integer_t<T>, Count>;
};
/// The traits also exist for scalars, for two reasons: the specification allows calls with explicit template arguments,
/// which may be scalars, and half is computed like a vector of one float.
template <class T>
  requires(float_type<T>)
struct vector_traits<T> {
  static constexpr bool is_vector = false, is_vec = false;
  static constexpr int count = 1;
  using type = T;
  using element = T;
  template <class Other>
  using rebind = Other;
  using mask = bool;
};
template <class Vector, class Result, int... Indices>
struct vector_traits<swizzled<Vector, Result, Indices...>> : vector_traits<Result> {};
template <class T, std::size_t Count>
struct vector_traits<marray<T, Count>> {
  static constexpr bool is_vector = true, is_vec = false;
  static constexpr int count = static_cast<int>(Count);
  using type = marray<T, Count>;
  using element = T;
  template <class Other>
  using rebind = marray<Other, Count>;
  using mask = marray<bool, Count>;
};

/// The type of a function's result. For a swizzle, this type is a vec with the same number of elements as the swizzle.
template <class T>
using vector_t = typename vector_traits<T>::type;
template <class T>
using element_t = typename vector_traits<T>::element;
template <class T>
using mask_t = typename vector_traits<T>::mask;
template <class T, class Element>
using rebind_t = typename vector_traits<T>::template rebind<Element>;

template <class T>
concept integer_type = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept scalar_type = std::is_arithmetic_v<T> || std::is_same_v<T, half>;

template <class T>
concept vector_type = vector_traits<T>::is_vector;
template <class T>
concept float_vector = vector_type<T> && float_type<element_t<T>>;
template <class T>
concept single_vector = std::is_same_v<element_t<T>, float>;
template <class T>
concept integer_vector = integer_type<element_t<T>>;
template <class T>
concept float_argument = float_type<element_t<T>>;
/// Whether `Written`, an explicit template argument of the call, fits T: max(x, 1) may be written as max<float>(x, 1).
template <class Written, class T>
concept named = std::is_void_v<Written> || std::is_same_v<Written, T>;
/// Functions of several vectors accept any mixture of vecs and swizzles with the same element type and length.
template <class T, class Other>
concept like = std::is_same_v<vector_t<T>, vector_t<Other>>;
template <class T, class Other, class Element>
concept like_of = std::is_same_v<vector_t<T>, rebind_t<Other, Element>>;

template <class T>
inline constexpr int count = vector_traits<T>::count;
/// Returns element i of a vector, or the scalar itself. A scalar of type half is converted to float.
template <class T>
constexpr auto part(const T& x, int i) noexcept {
  if constexpr (std::is_same_v<T, half>) {
    return static_cast<float>(x);
  } else if constexpr (float_type<T>) {
    return x;
  } else {
    return x[i];
  }
}
template <class T, class Value>
constexpr void set_part(T& result, int i, Value value) noexcept {
  if constexpr (vector_type<T>) {
    result[i] = value;
  } else {
    result = static_cast<T>(value);
  }
}

template <std::size_t Bytes>
using unsigned_of_size = std::make_unsigned_t<typename integer_of_size<Bytes>::type>;

} // namespace sycl::detail
