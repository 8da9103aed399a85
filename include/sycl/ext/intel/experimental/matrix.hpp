#pragma once
/// sycl_ext_intel_matrix: access to a matrix's elements by row and column, stores of the matrices a and b, and loads
/// and stores that check the bounds of a larger matrix. NVIDIA does not specify which elements a work-item holds. So
/// NVIDIA's GPUs support only the stores of accumulators, and launches of kernels that access elements throw
/// errc::kernel_not_supported on these GPUs.

#include "../../oneapi/matrix/matrix.hpp"

#define SYCL_EXT_INTEL_MATRIX 1

namespace sycl::inline _V1 {
namespace detail {

/// Calls function(element, row, column) for each element that this work-item holds.
template <class Matrix, class Function>
SINTER_DEVICE_INLINE void for_each_place(Matrix& matrix, const Function& function) {
  constexpr std::uint32_t number = matrix_access::number<std::remove_const_t<Matrix>>;
  for_each_held(matrix, [&](auto& element, std::uint32_t i) {
    const std::uint32_t place = __sinter_matrix_place(number, i);
    function(element, std::size_t{place >> 16}, std::size_t{place & 0xffffu});
  });
}

/// Returns the offset of the element (row, column) in a larger matrix.
template <std::size_t Pack>
constexpr std::ptrdiff_t matrix_offset(matrices::layout layout, std::size_t row, std::size_t column,
                                       std::size_t stride) {
  if (layout == matrices::layout::ext_intel_packed)
    return static_cast<std::ptrdiff_t>(row / Pack * stride + column * Pack + row % Pack);
  return offset_in_matrix(layout, row, column, stride);
}

/// The elements that a work-item holds, accessible by an index.
template <class Matrix>
class held_elements {
public:
  SINTER_DEVICE_INLINE explicit held_elements(Matrix& matrix) : m_matrix(matrix) {}
  SINTER_DEVICE_INLINE std::size_t length() const {
    return __sinter_matrix_length(matrix_access::number<std::remove_const_t<Matrix>>);
  }
  SINTER_DEVICE_INLINE auto& operator[](std::size_t i) const { return matrix_access::part(m_matrix)[i]; }

private:
  Matrix& m_matrix;
};

}  // namespace detail

namespace ext::intel::experimental::matrix {

using namespace oneapi::experimental::matrix;

/// Returns a list of the elements that the calling work-item holds. It is not specified which elements these are. The
/// function belongs to earlier revisions of the extension; joint_matrix_apply has replaced it.
template <typename Group, typename Matrix>
SINTER_DEVICE_INLINE auto get_wi_data(Group, Matrix& matrix) {
  return sycl::detail::held_elements<Matrix>(matrix);
}

/// Calls function(element&, row, column) for each element of the matrix.
template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout, typename F>
SINTER_DEVICE_INLINE void joint_matrix_apply(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                                             F&& function) {
  sycl::detail::for_each_place(matrix, function);
}

/// Stores a matrix a or b in the layout that its type has.
template <typename Group, typename T1, typename T2, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          access::address_space Space, access::decorated IsDecorated>
  requires(Use != use::accumulator)
SINTER_DEVICE_INLINE void joint_matrix_store(Group, const joint_matrix<Group, T1, Use, Rows, Cols, Layout>& source,
                                             multi_ptr<T2, Space, IsDecorated> to, std::size_t stride) {
  sycl::detail::store_elements<T1>(source, to.get_raw(), stride, Layout);
}

// These functions access a part of a larger matrix: the part begins at (row, column), and the larger matrix has
// `height` x `width` elements and begins at `base`. Elements of the part that lie outside the larger matrix are loaded
// as 0 and are not stored.
template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated IsDecorated>
SINTER_DEVICE_INLINE void joint_matrix_load_checked(
    Group, joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& result,
    multi_ptr<T2, Space, IsDecorated> base, std::size_t stride, layout Layout, std::size_t height, std::size_t width,
    std::size_t row, std::size_t column) {
  sycl::detail::for_each_place(result, [&](auto& element, std::size_t r, std::size_t c) {
    const bool inside = row + r < height && column + c < width;
    element = {};
    if (inside) element = base.get_raw()[sycl::detail::matrix_offset<1>(Layout, row + r, column + c, stride)];
  });
}
template <typename Group, typename T1, typename T2, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          access::address_space Space, access::decorated IsDecorated>
  requires(Use != use::accumulator)
SINTER_DEVICE_INLINE void joint_matrix_load_checked(Group, joint_matrix<Group, T1, Use, Rows, Cols, Layout>& result,
                                                    multi_ptr<T2, Space, IsDecorated> base, std::size_t stride,
                                                    std::size_t height, std::size_t width, std::size_t row,
                                                    std::size_t column) {
  constexpr std::size_t pack = sycl::detail::matrix_pack<T2>;
  sycl::detail::for_each_place(result, [&](auto& element, std::size_t r, std::size_t c) {
    const bool inside = row + r < height && column + c < width;
    element = {};
    if (inside) element = base.get_raw()[sycl::detail::matrix_offset<pack>(Layout, row + r, column + c, stride)];
  });
}
template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated IsDecorated>
SINTER_DEVICE_INLINE void joint_matrix_store_checked(
    Group, const joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& source,
    multi_ptr<T2, Space, IsDecorated> base, std::size_t stride, layout Layout, std::size_t height, std::size_t width,
    std::size_t row, std::size_t column) {
  sycl::detail::for_each_place(source, [&](const auto& element, std::size_t r, std::size_t c) {
    const bool inside = row + r < height && column + c < width;
    if (inside) base.get_raw()[sycl::detail::matrix_offset<1>(Layout, row + r, column + c, stride)] = element;
  });
}
template <typename Group, typename T1, typename T2, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          access::address_space Space, access::decorated IsDecorated>
  requires(Use != use::accumulator)
SINTER_DEVICE_INLINE void joint_matrix_store_checked(
    Group, const joint_matrix<Group, T1, Use, Rows, Cols, Layout>& source, multi_ptr<T2, Space, IsDecorated> base,
    std::size_t stride, std::size_t height, std::size_t width, std::size_t row, std::size_t column) {
  constexpr std::size_t pack = sycl::detail::matrix_pack<T2>;
  sycl::detail::for_each_place(source, [&](const auto& element, std::size_t r, std::size_t c) {
    const bool inside = row + r < height && column + c < width;
    if (inside) base.get_raw()[sycl::detail::matrix_offset<pack>(Layout, row + r, column + c, stride)] = element;
  });
}
/// Sets the elements that lie inside the larger matrix to `value`, and the elements outside to 0.
template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout, typename Tv>
SINTER_DEVICE_INLINE void joint_matrix_fill_checked(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& result,
                                                    const Tv& value, std::size_t height, std::size_t width,
                                                    std::size_t row, std::size_t column) {
  using number = sycl::detail::matrix_storage<T>;
  sycl::detail::for_each_place(result, [&](auto& element, std::size_t r, std::size_t c) {
    element = row + r < height && column + c < width ? static_cast<number>(value) : number{};
  });
}

}  // namespace ext::intel::experimental::matrix

namespace ext::oneapi::detail {
using intel::experimental::matrix::get_wi_data;  // migrated programs use get_wi_data from this namespace
using namespace sycl::detail;                    // ext::oneapi::detail would hide sycl::detail
}  // namespace ext::oneapi::detail
}  // namespace sycl
