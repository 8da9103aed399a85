#pragma once
/// sycl::ext::oneapi::bfloat16: the upper half of a float. Operations are done in float and rounded to nearest even.

#include <cstdint>

#include "../../bit_cast.hpp"

#define SYCL_EXT_ONEAPI_BFLOAT16 1

namespace sycl::ext::oneapi {

class bfloat16 {
public:
  constexpr bfloat16() noexcept = default;
  constexpr bfloat16(float value) noexcept : m_bits(round(value)) {}
  constexpr bfloat16& operator=(float value) noexcept { return *this = bfloat16(value); }
  constexpr operator float() const noexcept { return bit_cast<float>(static_cast<std::uint32_t>(m_bits) << 16); }
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
// Two bfloat16 give a bfloat16; with another type, the other operand is a float.
#define SINTER_BFLOAT16_OPERATOR(op)                                                     \
  friend constexpr bfloat16 operator op(const bfloat16& a, const bfloat16& b) noexcept { \
    return bfloat16(float(a) op float(b));                                               \
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
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);  // stays a NaN
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  std::uint16_t m_bits = 0;
};
static_assert(sizeof(bfloat16) == 2);

} // namespace sycl::ext::oneapi
