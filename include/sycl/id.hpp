#pragma once
/// sycl::id: a point in an index space (SYCL 2020 4.9.1.3).

#include "detail/coordinates.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

template <int Dimensions, bool WithOffset>
class item;

template <int Dimensions = 1>
class id : public detail::coordinates<id<Dimensions>, Dimensions> {
  using base = detail::coordinates<id<Dimensions>, Dimensions>;

public:
  constexpr id() noexcept = default;
  constexpr id(std::size_t index0) noexcept
    requires(Dimensions == 1)
      : base(index0) {}
  constexpr id(std::size_t index0, std::size_t index1) noexcept
    requires(Dimensions == 2)
      : base(index0, index1) {}
  constexpr id(std::size_t index0, std::size_t index1, std::size_t index2) noexcept
    requires(Dimensions == 3)
      : base(index0, index1, index2) {}
  constexpr id(const range<Dimensions>& extent) noexcept {
    for (int i = 0; i < Dimensions; ++i) this->m_values[i] = extent[i];
  }
  template <bool WithOffset>
  constexpr id(const item<Dimensions, WithOffset>& item) noexcept : id(item.get_id()) {}

  /// A one-dimensional id converts to its index.
  constexpr operator std::size_t() const noexcept
    requires(Dimensions == 1)
  {
    return this->m_values[0];
  }
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;

namespace detail {

/// Returns the position of a point in row-major order (SYCL 2020 3.11.1).
template <int Dimensions>
constexpr std::size_t linear_index(const id<Dimensions>& point, const range<Dimensions>& extent) noexcept {
  if constexpr (Dimensions == 1) {
    return point[0];
  } else if constexpr (Dimensions == 2) {
    return point[0] * extent[1] + point[1];
  } else {
    return (point[0] * extent[1] + point[1]) * extent[2] + point[2];
  }
}

} // namespace detail
} // namespace sycl
