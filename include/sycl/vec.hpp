#pragma once
/// sycl::vec (SYCL 2020 4.14.2): a vector of 1, 2, 3, 4, 8 or 16 elements. A vec of three elements is stored like a vec
/// of four.
///
/// Element accessors (.x(), .s0() ...) and swizzles of one element return references. Swizzles of several elements
/// return views. Programs can read views, assign to them and use them like a vec.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "detail/mistake.hpp"
#include "detail/swizzle.hpp"

namespace sycl::inline _V1 {

struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3, r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7, s8 = 8, s9 = 9, sA = 10, sB = 11,
                       sC = 12, sD = 13, sE = 14, sF = 15;
};

namespace detail {

template <class Value>
inline constexpr int element_count = 1;
template <class T, int Count>
inline constexpr int element_count<vec<T, Count>> = Count;
template <class Vector, class Result, int... Indices>
inline constexpr int element_count<swizzled<Vector, Result, Indices...>> = sizeof...(Indices);

/// The signed integer type that has `Bytes` bytes. Comparisons of vecs result in signed integers as wide as the
/// elements (SYCL 2020 4.14.2).
template <std::size_t Bytes>
struct integer_of_size;
template <>
struct integer_of_size<1> {
  using type = std::int8_t;
};
template <>
struct integer_of_size<2> {
  using type = std::int16_t;
};
template <>
struct integer_of_size<4> {
  using type = std::int32_t;
};
template <>
struct integer_of_size<8> {
  using type = std::int64_t;
};
template <class T>
using mask_integer_t = typename integer_of_size<sizeof(T)>::type;

template <class T>
concept bitwise_type = std::is_integral_v<T> || std::is_same_v<T, std::byte>;

constexpr std::size_t vec_alignment(std::size_t element, int count) noexcept {
  if ((count & (count - 1)) != 0 && count != 3) return element;  // a static_assert of the class reports the mistake
  const std::size_t bytes = element * static_cast<std::size_t>(vec_storage(count));
  return bytes > 64 ? 64 : bytes;
}

} // namespace detail

template <class T, int Count>
class alignas(detail::vec_alignment(sizeof(T), Count)) vec : public detail::vec_members<vec<T, Count>, T, Count> {
  static_assert(Count == 1 || Count == 2 || Count == 3 || Count == 4 || Count == 8 || Count == 16,
                "vec has 1, 2, 3, 4, 8 or 16 elements");
  using mask = vec<detail::mask_integer_t<T>, Count>;

public:
  /// Default-constructs the elements. Elements that are numbers are undefined after `vec v;`, and zero after `vec()`
  /// and `vec{}`. If the constructor of the element type is trivial, this constructor is trivial too, so that a vec may
  /// be a member of a union.
  vec() = default;
  /// Sets all elements to one value.
  constexpr explicit(Count > 1) vec(const T& value) noexcept : m_data{} {
    for (int i = 0; i < Count; ++i) m_data[i] = value;
  }
  /// Code that was migrated from CUDA writes vec<float, 1>{x} for numbers x of any type. This constructor converts x
  /// without a narrowing error.
  template <class Number>
    requires(Count == 1 && std::is_arithmetic_v<Number> && std::is_arithmetic_v<T> && !std::is_same_v<Number, T>)
  constexpr explicit vec(const Number& number) noexcept : vec(static_cast<T>(number)) {}
  /// Makes a vector from scalars and shorter vectors, which together have Count elements.
  template <class... Parts>
    requires(sizeof...(Parts) > 1 && (detail::element_count<Parts> + ... + 0) == Count)
  constexpr vec(const Parts&... parts) noexcept : m_data{} {
    int at = 0;
    (append(parts, at), ...);
  }
  template <class Vector, int... Indices>
  constexpr vec(const detail::swizzled<Vector, vec, Indices...>& elements) noexcept : m_data{} {
    for (int i = 0; i < Count; ++i) m_data[i] = elements[i];
  }
  template <class Vector, int Index>
    requires(Count == 1 && std::is_same_v<typename Vector::value_type, T>)
  constexpr vec(const detail::swizzled_element<Vector, Index>& element) noexcept : m_data{element[0]} {}
  template <class Vector, int Index>
    requires(Count == 1 && std::is_same_v<typename Vector::value_type, T>)
  constexpr vec& operator=(const detail::swizzled_element<Vector, Index>& element) noexcept {
    return *this = vec(element);
  }
  constexpr vec& operator=(const T& value) noexcept
    requires(std::is_arithmetic_v<T>)
  {
    return *this = vec(value);
  }
  /// For element classes like half. `v = {}` does not use this overload: it assigns vec{}, or for arithmetic element
  /// types the number 0 to all elements.
  template <class Value>
    requires(!std::is_arithmetic_v<T> && (std::is_same_v<Value, T> || std::is_arithmetic_v<Value>))
  constexpr vec& operator=(const Value& value) noexcept {
    return *this = vec(static_cast<T>(value));
  }

  constexpr operator T() const noexcept
    requires(Count == 1)
  {
    return m_data[0];
  }
  constexpr T& operator[](int i) noexcept { return m_data[i]; }
  constexpr const T& operator[](int i) const noexcept { return m_data[i]; }

  /// Returns a view of the elements in this order, to which programs can assign: v.swizzle<elem::y, elem::x>() = other.
  template <int... Indices>
  constexpr decltype(auto) swizzle() noexcept {
    static_assert(((Indices >= 0 && Indices < detail::vec_storage(Count)) && ...), "the vec has no such element");
    return detail::make_swizzle<Indices...>(*this);
  }
  template <int... Indices>
  constexpr decltype(auto) swizzle() const noexcept {
    static_assert(((Indices >= 0 && Indices < detail::vec_storage(Count)) && ...), "the vec has no such element");
    return detail::make_swizzle<Indices...>(*this);
  }

#define SINTER_VEC_BINARY(op, condition)                                      \
  friend constexpr vec operator op(const vec& a, const vec& b) noexcept       \
    requires(condition)                                                       \
  {                                                                           \
    vec result{};                                                             \
    for (int i = 0; i < Count; ++i) result[i] = static_cast<T>(a[i] op b[i]); \
    return result;                                                            \
  }                                                                           \
  friend constexpr vec operator op(const vec& a, const T& b) noexcept         \
    requires(condition)                                                       \
  {                                                                           \
    return a op vec(b);                                                       \
  }                                                                           \
  friend constexpr vec operator op(const T& a, const vec& b) noexcept         \
    requires(condition)                                                       \
  {                                                                           \
    return vec(a) op b;                                                       \
  }                                                                           \
  friend constexpr vec& operator op##=(vec& a, const vec& b) noexcept         \
    requires(condition)                                                       \
  {                                                                           \
    return a = a op b;                                                        \
  }                                                                           \
  friend constexpr vec& operator op##=(vec& a, const T& b) noexcept           \
    requires(condition)                                                       \
  {                                                                           \
    return a = a op vec(b);                                                   \
  }
  SINTER_VEC_BINARY(+, true)
  SINTER_VEC_BINARY(-, true)
  SINTER_VEC_BINARY(*, true)
  SINTER_VEC_BINARY(/, true)
  SINTER_VEC_BINARY(%, std::is_integral_v<T>)
  SINTER_VEC_BINARY(&, detail::bitwise_type<T>)
  SINTER_VEC_BINARY(|, detail::bitwise_type<T>)
  SINTER_VEC_BINARY(^, detail::bitwise_type<T>)
  SINTER_VEC_BINARY(<<, std::is_integral_v<T>)
  SINTER_VEC_BINARY(>>, std::is_integral_v<T>)
#undef SINTER_VEC_BINARY

  // In the result, each element is -1 for true and 0 for false, so it can serve as a mask.
#define SINTER_VEC_COMPARE(op)                                                                 \
  friend constexpr mask operator op(const vec& a, const vec& b) noexcept {                     \
    mask result{};                                                                             \
    for (int i = 0; i < Count; ++i) result[i] = (a[i] op b[i]) ? -1 : 0;                       \
    return result;                                                                             \
  }                                                                                            \
  friend constexpr mask operator op(const vec& a, const T& b) noexcept { return a op vec(b); } \
  friend constexpr mask operator op(const T& a, const vec& b) noexcept { return vec(a) op b; }
  SINTER_VEC_COMPARE(==)
  SINTER_VEC_COMPARE(!=)
  SINTER_VEC_COMPARE(<)
  SINTER_VEC_COMPARE(>)
  SINTER_VEC_COMPARE(<=)
  SINTER_VEC_COMPARE(>=)
  SINTER_VEC_COMPARE(&&)
  SINTER_VEC_COMPARE(||)
#undef SINTER_VEC_COMPARE

  friend constexpr vec operator+(const vec& a) noexcept { return a; }
  friend constexpr vec operator-(const vec& a) noexcept {
    vec result{};
    for (int i = 0; i < Count; ++i) result[i] = static_cast<T>(-a[i]);
    return result;
  }
  friend constexpr vec operator~(const vec& a) noexcept
    requires(detail::bitwise_type<T>)
  {
    vec result{};
    for (int i = 0; i < Count; ++i) result[i] = static_cast<T>(~a[i]);
    return result;
  }
  friend constexpr mask operator!(const vec& a) noexcept { return a == vec(); }
  friend constexpr vec& operator++(vec& a) noexcept { return a = a + vec(T(1)); }
  friend constexpr vec& operator--(vec& a) noexcept { return a = a - vec(T(1)); }
  friend constexpr vec operator++(vec& a, int) noexcept {
    const vec old = a;
    ++a;
    return old;
  }
  friend constexpr vec operator--(vec& a, int) noexcept {
    const vec old = a;
    --a;
    return old;
  }

private:
  template <class Part>
  constexpr void append(const Part& part, int& at) noexcept {
    if constexpr (detail::element_count<Part> == 1 && std::is_convertible_v<Part, T>) {
      m_data[at++] = static_cast<T>(part);
    } else {
      for (int i = 0; i < detail::element_count<Part>; ++i) m_data[at++] = part[i];
    }
  }

  T m_data[detail::vec_storage(Count)];
};

#define SINTER_VEC_MISTAKE(op)                                                                                   \
  template <class T, int Count, class Other, int Others>                                                        \
    requires(Count > 1 && Others > 1 && !(std::is_same_v<T, Other> && Count == Others))                         \
  SINTER_MISTAKE("both vecs need the same element type and as many elements: a.convert<float>() is one of floats") \
  detail::mistake operator op(const vec<T, Count>&, const vec<Other, Others>&) {                                \
    return {};                                                                                                  \
  }
SINTER_VEC_MISTAKE(+)
SINTER_VEC_MISTAKE(-)
SINTER_VEC_MISTAKE(*)
SINTER_VEC_MISTAKE(/)
#undef SINTER_VEC_MISTAKE

template <class T, class... More>
  requires(std::is_same_v<T, More> && ...)
vec(T, More...) -> vec<T, int(sizeof...(More)) + 1>;

#define SINTER_VEC_ALIASES(alias, type) \
  using alias##2 = vec<type, 2>;        \
  using alias##3 = vec<type, 3>;        \
  using alias##4 = vec<type, 4>;        \
  using alias##8 = vec<type, 8>;        \
  using alias##16 = vec<type, 16>;
SINTER_VEC_ALIASES(char, std::int8_t)
SINTER_VEC_ALIASES(uchar, std::uint8_t)
SINTER_VEC_ALIASES(short, std::int16_t)
SINTER_VEC_ALIASES(ushort, std::uint16_t)
SINTER_VEC_ALIASES(int, std::int32_t)
SINTER_VEC_ALIASES(uint, std::uint32_t)
SINTER_VEC_ALIASES(long, std::int64_t)
SINTER_VEC_ALIASES(ulong, std::uint64_t)
SINTER_VEC_ALIASES(float, float)
SINTER_VEC_ALIASES(double, double)
SINTER_VEC_ALIASES(half, half)
#undef SINTER_VEC_ALIASES

/// Names of SYCL 1.2.1 that programs still use. In SYCL 2020, byte is deprecated and the other names don't exist.
using byte = std::uint8_t;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

} // namespace sycl
