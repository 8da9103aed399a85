#pragma once
/// sycl::vec (SYCL 2020 4.14.2): 1, 2, 3, 4, 8 or 16 elements; three are stored as four.
///
/// Element accessors (.x(), .s0() ...) give references. Swizzles of several elements give values: they can be read, not
/// assigned to.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bit_cast.hpp"
#include "multi_ptr.hpp"

namespace sycl {

enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3, r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7, s8 = 8, s9 = 9, sA = 10, sB = 11,
                       sC = 12, sD = 13, sE = 14, sF = 15;
};

template <class T, int Count>
class vec;

namespace detail {

template <class Value>
inline constexpr int element_count = 1;
template <class T, int Count>
inline constexpr int element_count<vec<T, Count>> = Count;

/// Integer of a comparison's result: as wide as the element, signed (SYCL 2020 4.14.2.3).
template <std::size_t Bytes>
struct mask_integer;
template <>
struct mask_integer<1> {
  using type = std::int8_t;
};
template <>
struct mask_integer<2> {
  using type = std::int16_t;
};
template <>
struct mask_integer<4> {
  using type = std::int32_t;
};
template <>
struct mask_integer<8> {
  using type = std::int64_t;
};
template <class T>
using mask_integer_t = typename mask_integer<sizeof(T)>::type;

constexpr std::size_t vec_alignment(std::size_t element, int count) noexcept {
  const std::size_t bytes = element * static_cast<std::size_t>(count == 3 ? 4 : count);
  return bytes > 64 ? 64 : bytes;
}

} // namespace detail

template <class T, int Count>
class alignas(detail::vec_alignment(sizeof(T), Count)) vec {
  static_assert(Count == 1 || Count == 2 || Count == 3 || Count == 4 || Count == 8 || Count == 16,
                "vec has 1, 2, 3, 4, 8 or 16 elements");

public:
  using element_type = T;
  using value_type = T;

  constexpr vec() noexcept : m_data{} {}
  /// All elements equal.
  constexpr explicit(Count > 1) vec(const T& value) noexcept : m_data{} {
    for (int i = 0; i < Count; ++i) m_data[i] = value;
  }
  /// Scalars and shorter vectors, together Count elements.
  template <class... Parts>
    requires(sizeof...(Parts) > 1 && (detail::element_count<std::decay_t<Parts>> + ... + 0) == Count)
  constexpr vec(const Parts&... parts) noexcept : m_data{} {
    int at = 0;
    (append(parts, at), ...);
  }

  static constexpr std::size_t size() noexcept { return Count; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(vec); }
  static constexpr std::size_t get_count() noexcept { return Count; }
  static constexpr std::size_t get_size() noexcept { return sizeof(vec); }

  constexpr operator T() const noexcept
    requires(Count == 1)
  {
    return m_data[0];
  }
  constexpr T& operator[](int i) noexcept { return m_data[i]; }
  constexpr const T& operator[](int i) const noexcept { return m_data[i]; }

#define SINTER_VEC_ELEMENT(name, index)            \
  constexpr T& name() noexcept                     \
    requires(Count > index)                        \
  {                                                \
    return m_data[index];                          \
  }                                                \
  constexpr const T& name() const noexcept         \
    requires(Count > index)                        \
  {                                                \
    return m_data[index];                          \
  }
  SINTER_VEC_ELEMENT(x, 0)
  SINTER_VEC_ELEMENT(y, 1)
  SINTER_VEC_ELEMENT(z, 2)
  SINTER_VEC_ELEMENT(w, 3)
  SINTER_VEC_ELEMENT(r, 0)
  SINTER_VEC_ELEMENT(g, 1)
  SINTER_VEC_ELEMENT(b, 2)
  SINTER_VEC_ELEMENT(a, 3)
  SINTER_VEC_ELEMENT(s0, 0)
  SINTER_VEC_ELEMENT(s1, 1)
  SINTER_VEC_ELEMENT(s2, 2)
  SINTER_VEC_ELEMENT(s3, 3)
  SINTER_VEC_ELEMENT(s4, 4)
  SINTER_VEC_ELEMENT(s5, 5)
  SINTER_VEC_ELEMENT(s6, 6)
  SINTER_VEC_ELEMENT(s7, 7)
  SINTER_VEC_ELEMENT(s8, 8)
  SINTER_VEC_ELEMENT(s9, 9)
  SINTER_VEC_ELEMENT(sA, 10)
  SINTER_VEC_ELEMENT(sB, 11)
  SINTER_VEC_ELEMENT(sC, 12)
  SINTER_VEC_ELEMENT(sD, 13)
  SINTER_VEC_ELEMENT(sE, 14)
  SINTER_VEC_ELEMENT(sF, 15)
#undef SINTER_VEC_ELEMENT

  template <int... Indices>
  constexpr vec<T, static_cast<int>(sizeof...(Indices))> swizzle() const noexcept {
    vec<T, static_cast<int>(sizeof...(Indices))> result;
    int at = 0;
    ((result[at++] = m_data[Indices]), ...);
    return result;
  }
  constexpr auto lo() const noexcept { return half_of(0, 1); }
  constexpr auto hi() const noexcept { return half_of((Count == 3 ? 4 : Count) / 2, 1); }
  constexpr auto even() const noexcept { return half_of(0, 2); }
  constexpr auto odd() const noexcept { return half_of(1, 2); }

  /// Element-wise conversion; integers from floating point as static_cast, or rounded as asked.
  template <class Other, rounding_mode Mode = rounding_mode::automatic>
  constexpr vec<Other, Count> convert() const noexcept {
    vec<Other, Count> result;
    for (int i = 0; i < Count; ++i) {
      if constexpr (std::is_floating_point_v<T> && std::is_integral_v<Other> && Mode != rounding_mode::automatic &&
                    Mode != rounding_mode::rtz) {
        if constexpr (Mode == rounding_mode::rte) {
          result[i] = static_cast<Other>(__builtin_rint(m_data[i]));
        } else if constexpr (Mode == rounding_mode::rtp) {
          result[i] = static_cast<Other>(__builtin_ceil(m_data[i]));
        } else {
          result[i] = static_cast<Other>(__builtin_floor(m_data[i]));
        }
      } else {
        result[i] = static_cast<Other>(m_data[i]);
      }
    }
    return result;
  }
  /// The same bits as another vector type.
  template <class Other>
  constexpr Other as() const noexcept {
    return bit_cast<Other>(*this);
  }
  /// Elements offset*Count onwards; no alignment is needed.
  void load(std::size_t offset, const T* pointer) noexcept {
    for (int i = 0; i < Count; ++i) m_data[i] = pointer[offset * Count + i];
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<const T, Space, Decorated> pointer) noexcept {
    load(offset, pointer.get_raw());
  }
  void store(std::size_t offset, T* pointer) const noexcept {
    for (int i = 0; i < Count; ++i) pointer[offset * Count + i] = m_data[i];
  }
  template <access::address_space Space, access::decorated Decorated>
  void store(std::size_t offset, multi_ptr<T, Space, Decorated> pointer) const noexcept {
    store(offset, pointer.get_raw());
  }

#define SINTER_VEC_BINARY(op, condition)                                          \
  friend constexpr vec operator op(const vec& a, const vec& b) noexcept           \
    requires(condition)                                                           \
  {                                                                               \
    vec result;                                                                   \
    for (int i = 0; i < Count; ++i) result[i] = static_cast<T>(a[i] op b[i]);     \
    return result;                                                                \
  }                                                                               \
  friend constexpr vec operator op(const vec& a, const std::type_identity_t<T>& b) noexcept \
    requires((condition) && Count > 1)                                            \
  {                                                                               \
    return a op vec(b);                                                           \
  }                                                                               \
  friend constexpr vec operator op(const std::type_identity_t<T>& a, const vec& b) noexcept \
    requires((condition) && Count > 1)                                            \
  {                                                                               \
    return vec(a) op b;                                                           \
  }                                                                               \
  friend constexpr vec& operator op##=(vec& a, const vec& b) noexcept             \
    requires(condition)                                                           \
  {                                                                               \
    return a = a op b;                                                            \
  }                                                                               \
  friend constexpr vec& operator op##=(vec& a, const std::type_identity_t<T>& b) noexcept \
    requires((condition) && Count > 1)                                            \
  {                                                                               \
    return a = a op vec(b);                                                       \
  }
  SINTER_VEC_BINARY(+, true)
  SINTER_VEC_BINARY(-, true)
  SINTER_VEC_BINARY(*, true)
  SINTER_VEC_BINARY(/, true)
  SINTER_VEC_BINARY(%, std::is_integral_v<T>)
  SINTER_VEC_BINARY(&, std::is_integral_v<T>)
  SINTER_VEC_BINARY(|, std::is_integral_v<T>)
  SINTER_VEC_BINARY(^, std::is_integral_v<T>)
  SINTER_VEC_BINARY(<<, std::is_integral_v<T>)
  SINTER_VEC_BINARY(>>, std::is_integral_v<T>)
#undef SINTER_VEC_BINARY

#define SINTER_VEC_COMPARE(op)                                                                   \
  friend constexpr vec<detail::mask_integer_t<T>, Count> operator op(const vec& a, const vec& b) noexcept { \
    vec<detail::mask_integer_t<T>, Count> result;                                                \
    for (int i = 0; i < Count; ++i) result[i] = (a[i] op b[i]) ? -1 : 0;                         \
    return result;                                                                               \
  }                                                                                              \
  friend constexpr vec<detail::mask_integer_t<T>, Count> operator op(                            \
      const vec& a, const std::type_identity_t<T>& b) noexcept                                   \
    requires(Count > 1)                                                                          \
  {                                                                                              \
    return a op vec(b);                                                                          \
  }
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
    vec result;
    for (int i = 0; i < Count; ++i) result[i] = static_cast<T>(-a[i]);
    return result;
  }
  friend constexpr vec operator~(const vec& a) noexcept
    requires(std::is_integral_v<T>)
  {
    vec result;
    for (int i = 0; i < Count; ++i) result[i] = static_cast<T>(~a[i]);
    return result;
  }
  friend constexpr vec<detail::mask_integer_t<T>, Count> operator!(const vec& a) noexcept { return a == vec(); }
  friend constexpr vec& operator++(vec& a) noexcept { return a = a + vec(T{1}); }
  friend constexpr vec& operator--(vec& a) noexcept { return a = a - vec(T{1}); }

private:
  template <class Part>
  constexpr void append(const Part& part, int& at) noexcept {
    if constexpr (detail::element_count<Part> == 1 && std::is_convertible_v<Part, T>) {
      m_data[at++] = static_cast<T>(part);
    } else {
      for (int i = 0; i < detail::element_count<Part>; ++i) m_data[at++] = part[i];
    }
  }
  constexpr auto half_of(int first, int step) const noexcept {
    constexpr int half = Count == 1 ? 1 : (Count == 3 ? 4 : Count) / 2;
    vec<T, half> result;
    for (int i = 0; i < half; ++i) result[i] = m_data[first + i * step];
    return result;
  }

  T m_data[Count == 3 ? 4 : Count];
};

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
#undef SINTER_VEC_ALIASES

} // namespace sycl
