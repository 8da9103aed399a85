#pragma once
/// sycl::marray (SYCL 2020 4.14.3): an array of any length with element-wise arithmetic.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "half.hpp"

namespace sycl::inline _V1 {

template <class T, std::size_t Count>
class marray;

namespace detail {

template <class Value>
inline constexpr std::size_t marray_count = 1;
template <class T, std::size_t Count>
inline constexpr std::size_t marray_count<marray<T, Count>> = Count;

} // namespace detail

template <class T, std::size_t Count>
class marray {
  using truth = marray<bool, Count>;

public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  constexpr marray() noexcept : m_data{} {}
  /// Sets all elements to one value.
  constexpr explicit marray(const T& value) noexcept : m_data{} {
    for (T& element : m_data) element = value;
  }
  /// Makes an array from values and shorter arrays, which together have Count elements.
  template <class... Parts>
    requires(sizeof...(Parts) > 1 && (detail::marray_count<Parts> + ... + 0) == Count)
  constexpr marray(const Parts&... parts) noexcept : m_data{} {
    std::size_t at = 0;
    (append(parts, at), ...);
  }
  constexpr marray& operator=(const T& value) noexcept { return *this = marray(value); }

  constexpr operator T() const noexcept
    requires(Count == 1)
  {
    return m_data[0];
  }
  static constexpr std::size_t size() noexcept { return Count; }
  constexpr T& operator[](std::size_t i) noexcept { return m_data[i]; }
  constexpr const T& operator[](std::size_t i) const noexcept { return m_data[i]; }
  constexpr iterator begin() noexcept { return m_data; }
  constexpr const_iterator begin() const noexcept { return m_data; }
  constexpr iterator end() noexcept { return m_data + Count; }
  constexpr const_iterator end() const noexcept { return m_data + Count; }

#define SINTER_MARRAY_BINARY(op, condition)                                           \
  friend constexpr marray operator op(const marray& a, const marray& b) noexcept      \
    requires(condition)                                                               \
  {                                                                                   \
    marray result;                                                                    \
    for (std::size_t i = 0; i < Count; ++i) result[i] = static_cast<T>(a[i] op b[i]); \
    return result;                                                                    \
  }                                                                                   \
  friend constexpr marray operator op(const marray& a, const T& b) noexcept           \
    requires(condition)                                                               \
  {                                                                                   \
    return a op marray(b);                                                            \
  }                                                                                   \
  friend constexpr marray operator op(const T& a, const marray& b) noexcept           \
    requires(condition)                                                               \
  {                                                                                   \
    return marray(a) op b;                                                            \
  }                                                                                   \
  friend constexpr marray& operator op##=(marray& a, const marray& b) noexcept        \
    requires(condition)                                                               \
  {                                                                                   \
    return a = a op b;                                                                \
  }                                                                                   \
  friend constexpr marray& operator op##=(marray& a, const T& b) noexcept             \
    requires(condition)                                                               \
  {                                                                                   \
    return a = a op marray(b);                                                        \
  }
  // For elements of class type, an operator compiles only if the class has this operator.
  SINTER_MARRAY_BINARY(+, true)
  SINTER_MARRAY_BINARY(-, true)
  SINTER_MARRAY_BINARY(*, true)
  SINTER_MARRAY_BINARY(/, true)
  SINTER_MARRAY_BINARY(%, !detail::float_type<T>)
  SINTER_MARRAY_BINARY(&, !detail::float_type<T>)
  SINTER_MARRAY_BINARY(|, !detail::float_type<T>)
  SINTER_MARRAY_BINARY(^, !detail::float_type<T>)
  SINTER_MARRAY_BINARY(<<, !detail::float_type<T>)
  SINTER_MARRAY_BINARY(>>, !detail::float_type<T>)
#undef SINTER_MARRAY_BINARY

#define SINTER_MARRAY_COMPARE(op)                                                                     \
  friend constexpr truth operator op(const marray& a, const marray& b) noexcept {                     \
    truth result;                                                                                     \
    for (std::size_t i = 0; i < Count; ++i) result[i] = a[i] op b[i];                                 \
    return result;                                                                                    \
  }                                                                                                   \
  friend constexpr truth operator op(const marray& a, const T& b) noexcept { return a op marray(b); } \
  friend constexpr truth operator op(const T& a, const marray& b) noexcept { return marray(a) op b; }
  SINTER_MARRAY_COMPARE(==)
  SINTER_MARRAY_COMPARE(!=)
  SINTER_MARRAY_COMPARE(<)
  SINTER_MARRAY_COMPARE(>)
  SINTER_MARRAY_COMPARE(<=)
  SINTER_MARRAY_COMPARE(>=)
  SINTER_MARRAY_COMPARE(&&)
  SINTER_MARRAY_COMPARE(||)
#undef SINTER_MARRAY_COMPARE

  friend constexpr marray operator+(const marray& a) noexcept { return a; }
  friend constexpr marray operator-(const marray& a) noexcept {
    marray result;
    for (std::size_t i = 0; i < Count; ++i) result[i] = static_cast<T>(-a[i]);
    return result;
  }
  friend constexpr marray operator~(const marray& a) noexcept
    requires(!detail::float_type<T>)
  {
    marray result;
    for (std::size_t i = 0; i < Count; ++i) result[i] = static_cast<T>(~a[i]);
    return result;
  }
  friend constexpr truth operator!(const marray& a) noexcept {
    truth result;
    for (std::size_t i = 0; i < Count; ++i) result[i] = !a[i];
    return result;
  }
  friend constexpr marray& operator++(marray& a) noexcept { return a = a + marray(T(1)); }
  friend constexpr marray& operator--(marray& a) noexcept { return a = a - marray(T(1)); }
  friend constexpr marray operator++(marray& a, int) noexcept {
    const marray old = a;
    ++a;
    return old;
  }
  friend constexpr marray operator--(marray& a, int) noexcept {
    const marray old = a;
    --a;
    return old;
  }

private:
  template <class Part>
  constexpr void append(const Part& part, std::size_t& at) noexcept {
    if constexpr (detail::marray_count<Part> == 1 && std::is_convertible_v<Part, T>) {
      m_data[at++] = static_cast<T>(part);
    } else {
      for (const auto& element : part) m_data[at++] = element;
    }
  }

  T m_data[Count];
};

template <class T, class... More>
  requires(std::is_same_v<T, More> && ...)
marray(T, More...) -> marray<T, sizeof...(More) + 1>;

#define SINTER_MARRAY_ALIASES(alias, type) \
  using m##alias##2 = marray<type, 2>;     \
  using m##alias##3 = marray<type, 3>;     \
  using m##alias##4 = marray<type, 4>;     \
  using m##alias##8 = marray<type, 8>;     \
  using m##alias##16 = marray<type, 16>;
SINTER_MARRAY_ALIASES(bool, bool)
SINTER_MARRAY_ALIASES(char, std::int8_t)
SINTER_MARRAY_ALIASES(uchar, std::uint8_t)
SINTER_MARRAY_ALIASES(short, std::int16_t)
SINTER_MARRAY_ALIASES(ushort, std::uint16_t)
SINTER_MARRAY_ALIASES(int, std::int32_t)
SINTER_MARRAY_ALIASES(uint, std::uint32_t)
SINTER_MARRAY_ALIASES(long, std::int64_t)
SINTER_MARRAY_ALIASES(ulong, std::uint64_t)
SINTER_MARRAY_ALIASES(float, float)
SINTER_MARRAY_ALIASES(double, double)
SINTER_MARRAY_ALIASES(half, half)
#undef SINTER_MARRAY_ALIASES

} // namespace sycl
