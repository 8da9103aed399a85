#pragma once
/// sycl_ext_oneapi_sub_group_mask: sets of work-items of a sub-group, for instance the set of all work-items whose
/// condition is true. Bit i represents the work-item with local id i. A mask has as many bits as a sub-group of the
/// device can have work-items.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "../../detail/export.hpp"
#include "../../id.hpp"
#include "../../marray.hpp"
#include "../../sub_group.hpp"

#define SYCL_EXT_ONEAPI_SUB_GROUP_MASK 2

namespace sycl::inline _V1::ext::oneapi {

class sub_group_mask {
public:
  static constexpr std::size_t max_bits = 64;

  /// Refers to one bit of a mask.
  class reference {
  public:
    SINTER_DEVICE_INLINE reference& operator=(bool value) noexcept { return m_mask.set(m_position, value), *this; }
    SINTER_DEVICE_INLINE reference& operator=(const reference& other) noexcept { return *this = bool(other); }
    reference(const reference&) noexcept = default;
    SINTER_DEVICE_INLINE bool operator~() const noexcept { return !bool(*this); }
    SINTER_DEVICE_INLINE operator bool() const noexcept { return m_mask.test(m_position); }
    SINTER_DEVICE_INLINE reference& flip() noexcept { return m_mask.flip(m_position), *this; }

  private:
    friend class sub_group_mask;
    SINTER_DEVICE_INLINE reference(sub_group_mask& mask, id<1> position) noexcept
        : m_mask(mask), m_position(position) {}
    sub_group_mask& m_mask;
    id<1> m_position;
  };

  /// Makes an empty mask.
  SINTER_DEVICE_INLINE sub_group_mask() noexcept : sub_group_mask(0ull) {}
  SINTER_DEVICE_INLINE sub_group_mask(unsigned long long bits) noexcept
      : sub_group_mask(bits, __sinter_sub_group_size()) {}
  template <class T, std::size_t Count>
    requires(std::is_integral_v<T>)
  SINTER_DEVICE_INLINE sub_group_mask(const marray<T, Count>& bits) noexcept : sub_group_mask() {
    insert_bits(bits);
  }

  SINTER_DEVICE_INLINE bool operator[](id<1> position) const noexcept { return test(position); }
  SINTER_DEVICE_INLINE reference operator[](id<1> position) noexcept { return {*this, position}; }
  SINTER_DEVICE_INLINE bool test(id<1> position) const noexcept {
    return position[0] < m_size && ((m_bits >> position[0]) & 1) != 0;
  }
  SINTER_DEVICE_INLINE bool all() const noexcept { return m_bits == every(); }
  SINTER_DEVICE_INLINE bool any() const noexcept { return m_bits != 0; }
  SINTER_DEVICE_INLINE bool none() const noexcept { return m_bits == 0; }
  SINTER_DEVICE_INLINE std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(__builtin_popcountll(m_bits));
  }
  SINTER_DEVICE_INLINE std::uint32_t size() const noexcept { return m_size; }
  /// find_low and find_high return the first and the last work-item of the mask. If the mask is empty, they return
  /// size().
  SINTER_DEVICE_INLINE id<1> find_low() const noexcept {
    return m_bits == 0 ? m_size : static_cast<std::size_t>(__builtin_ctzll(m_bits));
  }
  SINTER_DEVICE_INLINE id<1> find_high() const noexcept {
    return m_bits == 0 ? m_size : static_cast<std::size_t>(63 - __builtin_clzll(m_bits));
  }

  /// Writes the bits of `bits` into the mask, from bit `position` of the mask on. Bits that would lie behind the mask's
  /// end are ignored.
  template <class T>
    requires(std::is_integral_v<T>)
  SINTER_DEVICE_INLINE void insert_bits(T bits, id<1> position = 0) noexcept {
    if (position[0] >= m_size) return;
    const std::uint64_t window = (bits_of<T>() << position[0]) & every();
    m_bits = (m_bits & ~window) | ((static_cast<std::uint64_t>(bits) << position[0]) & window);
  }
  template <class T, std::size_t Count>
    requires(std::is_integral_v<T>)
  SINTER_DEVICE_INLINE void insert_bits(const marray<T, Count>& bits, id<1> position = 0) noexcept {
    for (std::size_t i = 0; i < Count; ++i) insert_bits(bits[i], position[0] + i * sizeof(T) * CHAR_BIT);
  }
  template <class T>
    requires(std::is_integral_v<T>)
  SINTER_DEVICE_INLINE void extract_bits(T& bits, id<1> position = 0) const noexcept {
    bits = position[0] >= m_size ? T(0) : static_cast<T>(m_bits >> position[0]);
  }
  template <class T, std::size_t Count>
    requires(std::is_integral_v<T>)
  SINTER_DEVICE_INLINE void extract_bits(marray<T, Count>& bits, id<1> position = 0) const noexcept {
    for (std::size_t i = 0; i < Count; ++i) extract_bits(bits[i], position[0] + i * sizeof(T) * CHAR_BIT);
  }

  SINTER_DEVICE_INLINE void set() noexcept { m_bits = every(); }
  SINTER_DEVICE_INLINE void set(id<1> position, bool value = true) noexcept {
    m_bits = value ? m_bits | bit(position) : m_bits & ~bit(position);
  }
  SINTER_DEVICE_INLINE void reset() noexcept { m_bits = 0; }
  SINTER_DEVICE_INLINE void reset(id<1> position) noexcept { m_bits &= ~bit(position); }
  SINTER_DEVICE_INLINE void reset_low() noexcept { m_bits &= m_bits - 1; }
  SINTER_DEVICE_INLINE void reset_high() noexcept { reset(find_high()); }
  SINTER_DEVICE_INLINE void flip() noexcept { m_bits ^= every(); }
  SINTER_DEVICE_INLINE void flip(id<1> position) noexcept { m_bits ^= bit(position); }

  SINTER_DEVICE_INLINE sub_group_mask& operator&=(const sub_group_mask& other) noexcept {
    return m_bits &= other.m_bits, *this;
  }
  SINTER_DEVICE_INLINE sub_group_mask& operator|=(const sub_group_mask& other) noexcept {
    return m_bits |= other.m_bits, *this;
  }
  SINTER_DEVICE_INLINE sub_group_mask& operator^=(const sub_group_mask& other) noexcept {
    return m_bits ^= other.m_bits, *this;
  }
  SINTER_DEVICE_INLINE sub_group_mask& operator<<=(std::size_t distance) noexcept {
    return m_bits = distance < m_size ? (m_bits << distance) & every() : 0, *this;
  }
  SINTER_DEVICE_INLINE sub_group_mask& operator>>=(std::size_t distance) noexcept {
    return m_bits = distance < m_size ? m_bits >> distance : 0, *this;
  }
  SINTER_DEVICE_INLINE sub_group_mask operator~() const noexcept { return {~m_bits, m_size}; }
  SINTER_DEVICE_INLINE sub_group_mask operator<<(std::size_t distance) const noexcept {
    return sub_group_mask(*this) <<= distance;
  }
  SINTER_DEVICE_INLINE sub_group_mask operator>>(std::size_t distance) const noexcept {
    return sub_group_mask(*this) >>= distance;
  }
  friend SINTER_DEVICE_INLINE sub_group_mask operator&(sub_group_mask a, const sub_group_mask& b) noexcept {
    return a &= b;
  }
  friend SINTER_DEVICE_INLINE sub_group_mask operator|(sub_group_mask a, const sub_group_mask& b) noexcept {
    return a |= b;
  }
  friend SINTER_DEVICE_INLINE sub_group_mask operator^(sub_group_mask a, const sub_group_mask& b) noexcept {
    return a ^= b;
  }
  friend SINTER_DEVICE_INLINE bool operator==(const sub_group_mask& a, const sub_group_mask& b) noexcept {
    return a.m_bits == b.m_bits;
  }
  friend SINTER_DEVICE_INLINE bool operator!=(const sub_group_mask& a, const sub_group_mask& b) noexcept {
    return a.m_bits != b.m_bits;
  }

private:
  SINTER_DEVICE_INLINE sub_group_mask(std::uint64_t bits, std::uint32_t size) noexcept : m_bits(bits), m_size(size) {
    m_bits &= every();
  }
  template <class T>
  static constexpr std::uint64_t bits_of() noexcept {
    return ~std::uint64_t{0} >> (64 - sizeof(T) * CHAR_BIT);
  }
  SINTER_DEVICE_INLINE std::uint64_t every() const noexcept { return ~std::uint64_t{0} >> (64 - m_size); }
  SINTER_DEVICE_INLINE std::uint64_t bit(id<1> position) const noexcept {
    return position[0] < m_size ? std::uint64_t{1} << position[0] : 0;
  }

  std::uint64_t m_bits;
  std::uint32_t m_size;
};

/// Returns the set of the sub-group's work-items whose condition is true. All work-items of the sub-group have to call
/// it together.
SINTER_DEVICE_INLINE sub_group_mask group_ballot(sycl::sub_group, bool condition = true) noexcept {
  return __sinter_sub_group_ballot(condition);
}

}  // namespace sycl::ext::oneapi
