#pragma once
/// sycl::ext::oneapi::bfloat16, a floating-point type whose bits are the upper 16 bits of a float. Operations compute
/// in float and round to nearest even.

#include <cstdint>
#include <type_traits>

#include "../../bit_cast.hpp"
#include "../../half.hpp"

#define SYCL_EXT_ONEAPI_BFLOAT16 1

namespace sycl::inline _V1::ext::oneapi {

class bfloat16 {
  template <class T>
  static constexpr bool is_other = std::is_convertible_v<const T&, float> && !std::is_base_of_v<bfloat16, T>;

public:
  constexpr bfloat16() noexcept = default;
  constexpr bfloat16(float value) noexcept : m_bits(round(value)) {}
  constexpr bfloat16(const half& value) noexcept : bfloat16(float(value)) {}
  constexpr bfloat16& operator=(float value) noexcept { return *this = bfloat16(value); }
  constexpr bfloat16& operator=(const half& value) noexcept { return *this = bfloat16(value); }
  constexpr operator float() const noexcept { return bit_cast<float>(static_cast<std::uint32_t>(m_bits) << 16); }
  constexpr operator half() const noexcept { return half(float(*this)); }
  explicit constexpr operator bool() const noexcept { return (m_bits & 0x7fffu) != 0; }

  friend constexpr bfloat16 operator-(bfloat16 value) noexcept {
    value.m_bits ^= 0x8000u;
    return value;
  }
  friend constexpr bfloat16& operator++(bfloat16& value) noexcept { return value = float(value) + 1.0f; }
  friend constexpr bfloat16& operator--(bfloat16& value) noexcept { return value = float(value) - 1.0f; }
  friend constexpr bfloat16 operator++(bfloat16& value, int) noexcept {
    const bfloat16 old = value;
    ++value;
    return old;
  }
  friend constexpr bfloat16 operator--(bfloat16& value, int) noexcept {
    const bfloat16 old = value;
    --value;
    return old;
  }
// These operators convert an operand of another type to float, and round the result to bfloat16. The operator for two
// operands of type bfloat16 rounds its result in the same way.
#define SINTER_BFLOAT16_OPERATOR(op)                                                     \
  friend constexpr bfloat16 operator op(const bfloat16& a, const bfloat16& b) noexcept { \
    return bfloat16(float(a) op float(b));                                               \
  }                                                                                      \
  template <class T>                                                                     \
    requires(is_other<T>)                                                                \
  friend constexpr bfloat16 operator op(const bfloat16& a, const T& b) noexcept {        \
    return bfloat16(float(a) op static_cast<float>(b));                                  \
  }                                                                                      \
  template <class T>                                                                     \
    requires(is_other<T>)                                                                \
  friend constexpr bfloat16 operator op(const T& a, const bfloat16& b) noexcept {        \
    return bfloat16(static_cast<float>(a) op float(b));                                  \
  }                                                                                      \
  friend constexpr bfloat16& operator op##=(bfloat16& a, const bfloat16& b) noexcept { return a = a op b; }
  SINTER_BFLOAT16_OPERATOR(+)
  SINTER_BFLOAT16_OPERATOR(-)
  SINTER_BFLOAT16_OPERATOR(*)
  SINTER_BFLOAT16_OPERATOR(/)
#undef SINTER_BFLOAT16_OPERATOR
#define SINTER_BFLOAT16_COMPARISON(op)                                               \
  friend constexpr bool operator op(const bfloat16& a, const bfloat16& b) noexcept { \
    return float(a) op float(b);                                                     \
  }                                                                                  \
  template <class T>                                                                 \
    requires(is_other<T>)                                                            \
  friend constexpr bool operator op(const bfloat16& a, const T& b) noexcept {        \
    return float(a) op static_cast<float>(b);                                        \
  }                                                                                  \
  template <class T>                                                                 \
    requires(is_other<T>)                                                            \
  friend constexpr bool operator op(const T& a, const bfloat16& b) noexcept {        \
    return static_cast<float>(a) op float(b);                                        \
  }
  SINTER_BFLOAT16_COMPARISON(==)
  SINTER_BFLOAT16_COMPARISON(!=)
  SINTER_BFLOAT16_COMPARISON(<)
  SINTER_BFLOAT16_COMPARISON(>)
  SINTER_BFLOAT16_COMPARISON(<=)
  SINTER_BFLOAT16_COMPARISON(>=)
#undef SINTER_BFLOAT16_COMPARISON

private:
  static constexpr std::uint16_t round(float value) noexcept {
    const auto bits = bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);  // NaN stays NaN
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  std::uint16_t m_bits = 0;
};
static_assert(sizeof(bfloat16) == 2);

} // namespace sycl::ext::oneapi
