#pragma once
/// sycl::item: the position of a work-item of a range kernel (SYCL 2020 4.9.1.4).

#include <sinter/abi/device_abi.hpp>

#include "id.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

namespace detail {
struct item_access;
}

template <int Dimensions = 1, bool WithOffset = true>
class item {
public:
  static constexpr int dimensions = Dimensions;

  item() = delete;

  constexpr id<Dimensions> get_id() const noexcept { return m_id; }
  constexpr std::size_t get_id(int dimension) const noexcept { return m_id[dimension]; }
  constexpr std::size_t operator[](int dimension) const noexcept { return m_id[dimension]; }
  constexpr range<Dimensions> get_range() const noexcept { return m_range; }
  constexpr std::size_t get_range(int dimension) const noexcept { return m_range[dimension]; }

  /// Deprecated in SYCL 2020.
  constexpr id<Dimensions> get_offset() const noexcept
    requires(WithOffset)
  {
    return m_offset;
  }

  constexpr std::size_t get_linear_id() const noexcept {
    if constexpr (WithOffset) {
      return detail::linear_index(m_id - m_offset, m_range);
    } else {
      return detail::linear_index(m_id, m_range);
    }
  }

  constexpr operator std::size_t() const noexcept
    requires(Dimensions == 1)
  {
    return m_id[0];
  }

  constexpr operator item<Dimensions, true>() const noexcept
    requires(!WithOffset)
  {
    return item<Dimensions, true>(m_id, m_range, {});
  }

  friend constexpr bool operator==(const item& a, const item& b) noexcept {
    return a.m_id == b.m_id && a.m_range == b.m_range && a.m_offset == b.m_offset;
  }
  friend constexpr bool operator!=(const item& a, const item& b) noexcept { return !(a == b); }

private:
  friend struct detail::item_access;
  template <int, bool>
  friend class item;

  constexpr item(const id<Dimensions>& position, const range<Dimensions>& extent, const id<Dimensions>& offset) noexcept
      : m_id(position), m_range(extent), m_offset(offset) {}

  id<Dimensions> m_id;
  range<Dimensions> m_range;
  id<Dimensions> m_offset;
};

namespace detail {

/// Calls `query(3 - D + d)` for each dimension d of D dimensions. The device ABI numbers dimensions in this way
/// (abi/device_abi.hpp). The arguments are constants.
template <class Result, int Dimensions, class Query>
inline __attribute__((always_inline)) Result query_dimensions(Query query) noexcept {
  if constexpr (Dimensions == 1) {
    return Result(query(2u));
  } else if constexpr (Dimensions == 2) {
    return Result(query(1u), query(2u));
  } else {
    return Result(query(0u), query(1u), query(2u));
  }
}

template <int Dimensions>
inline __attribute__((always_inline)) id<Dimensions> query_global_id() noexcept {
  return query_dimensions<id<Dimensions>, Dimensions>([](std::uint32_t d) { return __sinter_global_id(d); });
}
template <int Dimensions>
inline __attribute__((always_inline)) id<Dimensions> query_global_offset() noexcept {
  return query_dimensions<id<Dimensions>, Dimensions>([](std::uint32_t d) { return __sinter_global_offset(d); });
}
template <int Dimensions>
inline __attribute__((always_inline)) range<Dimensions> query_global_range() noexcept {
  return query_dimensions<range<Dimensions>, Dimensions>([](std::uint32_t d) { return __sinter_global_range(d); });
}

} // namespace detail
} // namespace sycl
