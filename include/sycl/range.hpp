#pragma once
/// sycl::range: the extent of an index space (SYCL 2020 4.9.1.1).

#include <sinter/abi/byte_count.hpp>

#include "detail/coordinates.hpp"

namespace sycl::inline _V1 {

/// A range has the number of elements in each dimension. In linear ids, the last dimension varies fastest.
template <int Dimensions = 1>
class range : public detail::coordinates<range<Dimensions>, Dimensions> {
  using base = detail::coordinates<range<Dimensions>, Dimensions>;

public:
  constexpr range() noexcept = default;
  constexpr range(std::size_t size0) noexcept
    requires(Dimensions == 1)
      : base(size0) {}
  constexpr range(std::size_t size0, std::size_t size1) noexcept
    requires(Dimensions == 2)
      : base(size0, size1) {}
  constexpr range(std::size_t size0, std::size_t size1, std::size_t size2) noexcept
    requires(Dimensions == 3)
      : base(size0, size1, size2) {}

  /// Returns the total number of elements, which is the product over all dimensions.
  constexpr std::size_t size() const noexcept {
    std::size_t result = 1;
    for (int i = 0; i < Dimensions; ++i) result *= this->m_values[i];
    return result;
  }
};

namespace detail {
/// Returns the number of bytes of a range whose elements have `element` bytes each. If the product overflows, returns
/// ~0, which is larger than any memory.
template <int Dimensions>
constexpr std::size_t bytes_of(const range<Dimensions>& extent, std::size_t element) noexcept {
  for (int i = 0; i < Dimensions; ++i) element = sinter::abi::multiply_bytes(element, extent[i]);
  return element;
}
/// Returns the number of elements, or ~0 if the number does not fit into std::size_t.
template <int Dimensions>
constexpr std::size_t count_of(const range<Dimensions>& extent) noexcept {
  return bytes_of(extent, 1);
}
/// Returns the range with one element in each dimension.
template <int Dimensions>
constexpr range<Dimensions> ones() noexcept {
  range<Dimensions> result;
  for (int i = 0; i < Dimensions; ++i) result[i] = 1;
  return result;
}
}  // namespace detail

range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

} // namespace sycl
