#pragma once
/// sycl_ext_oneapi_matrix: products of matrices that a sub-group holds. Devices with matrix units compute the products
/// on these units. All work-items of a sub-group have to call each of these functions together, with the same pointers
/// and numbers.
///
/// A stride counts elements. It is the distance from one row to the next; with layout::col_major, from one column to
/// the next; with layout::ext_intel_packed, from one row of packed pairs (of 16 bits) or quads (of 8 bits) to the next.

#include "../../../multi_ptr.hpp"
#include "../experimental/annotated_ptr/annotated_ptr.hpp"
#include "joint_matrix.hpp"
#include "matrix_params.hpp"

namespace sycl::inline _V1::detail {

/// The number of elements that fill 32 bits. In packed layouts, these elements are adjacent.
template <class T>
inline constexpr std::size_t matrix_pack = sizeof(T) < 4 ? 4 / sizeof(T) : 1;

/// The distance from element (0, 0) to element (row, column) of a larger matrix.
constexpr std::ptrdiff_t offset_in_matrix(matrices::layout layout, std::size_t row, std::size_t column,
                                          std::size_t stride) {
  const bool by_columns = layout == matrices::layout::col_major;
  return static_cast<std::ptrdiff_t>(by_columns ? column * stride + row : row * stride + column);
}

template <class T, class Matrix, class InMemory>
SINTER_DEVICE_INLINE void load_elements(Matrix& result, InMemory* from, std::size_t stride, matrices::layout layout) {
  static_assert(std::is_same_v<std::remove_cv_t<InMemory>, matrix_storage<T>>,
                "joint_matrix_load: memory has elements of another type than the matrix");
  __sinter_matrix_load(matrix_access::part(result), matrix_access::number<Matrix>, from, stride,
                       static_cast<std::uint32_t>(layout));
}
template <class T, class Matrix, class InMemory>
SINTER_DEVICE_INLINE void store_elements(const Matrix& source, InMemory* to, std::size_t stride,
                                         matrices::layout layout) {
  static_assert(std::is_same_v<InMemory, matrix_storage<T>>,
                "joint_matrix_store: memory has elements of another type than the matrix, or is const");
  __sinter_matrix_store(matrix_access::part(source), matrix_access::number<Matrix>, to, stride,
                        static_cast<std::uint32_t>(layout));
}

template <class A, class B, class C>
struct matrix_product {
  sub_group group;
  const A& a;
  const B& b;
  const C& c;

  template <class Matrix>
  SINTER_DEVICE_INLINE void write_to(Matrix& result) const {
    joint_matrix_mad(group, result, a, b, c);
  }
};
template <class A, class B, class C>
matrix_product(sub_group, const A&, const B&, const C&) -> matrix_product<A, B, C>;

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental::matrix {

template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated IsDecorated>
SINTER_DEVICE_INLINE void joint_matrix_load(
    Group, joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& result,
    multi_ptr<T2, Space, IsDecorated> from, std::size_t stride, layout Layout) {
  sycl::detail::load_elements<T1>(result, from.get_raw(), stride, Layout);
}

template <typename Group, typename T1, typename T2, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          access::address_space Space, access::decorated IsDecorated>
  requires(Use != use::accumulator)
SINTER_DEVICE_INLINE void joint_matrix_load(Group, joint_matrix<Group, T1, Use, Rows, Cols, Layout>& result,
                                            multi_ptr<T2, Space, IsDecorated> from, std::size_t stride) {
  sycl::detail::load_elements<T1>(result, from.get_raw(), stride, Layout);
}

template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated IsDecorated>
SINTER_DEVICE_INLINE void joint_matrix_store(
    Group, const joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& source,
    multi_ptr<T2, Space, IsDecorated> to, std::size_t stride, layout Layout) {
  sycl::detail::store_elements<T1>(source, to.get_raw(), stride, Layout);
}

// An annotated_ptr always points to global memory.
template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, typename PropertyListT>
SINTER_DEVICE_INLINE void joint_matrix_load(
    Group, joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& result,
    annotated_ptr<T2, PropertyListT> from, std::size_t stride, layout Layout) {
  sycl::detail::load_elements<T1>(result, from.get(), stride, Layout);
}
template <typename Group, typename T1, typename T2, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          typename PropertyListT>
  requires(Use != use::accumulator)
SINTER_DEVICE_INLINE void joint_matrix_load(Group, joint_matrix<Group, T1, Use, Rows, Cols, Layout>& result,
                                            annotated_ptr<T2, PropertyListT> from, std::size_t stride) {
  sycl::detail::load_elements<T1>(result, from.get(), stride, Layout);
}
template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, typename PropertyListT>
SINTER_DEVICE_INLINE void joint_matrix_store(
    Group, const joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& source,
    annotated_ptr<T2, PropertyListT> to, std::size_t stride, layout Layout) {
  sycl::detail::store_elements<T1>(source, to.get(), stride, Layout);
}

// These overloads access a part of a larger matrix. They take the part's first row and column. In packed layouts, row
// and column are counted like the stride: a packed pair or quad counts as one row or column.
template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated IsDecorated>
SINTER_DEVICE_INLINE void joint_matrix_load(
    Group group, joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& result,
    multi_ptr<T2, Space, IsDecorated> base, std::size_t row, std::size_t column, std::size_t stride, layout Layout) {
  joint_matrix_load(group, result, base + sycl::detail::offset_in_matrix(Layout, row, column, stride), stride, Layout);
}
template <typename Group, typename T1, typename T2, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          access::address_space Space, access::decorated IsDecorated>
  requires(Use != use::accumulator)
SINTER_DEVICE_INLINE void joint_matrix_load(Group group, joint_matrix<Group, T1, Use, Rows, Cols, Layout>& result,
                                            multi_ptr<T2, Space, IsDecorated> base, std::size_t row,
                                            std::size_t column, std::size_t stride) {
  joint_matrix_load(group, result, base + sycl::detail::offset_in_matrix(Layout, row, column, stride), stride);
}
template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, access::address_space Space,
          access::decorated IsDecorated>
SINTER_DEVICE_INLINE void joint_matrix_store(
    Group group, const joint_matrix<Group, T1, use::accumulator, Rows, Cols, layout::dynamic>& source,
    multi_ptr<T2, Space, IsDecorated> base, std::size_t row, std::size_t column, std::size_t stride, layout Layout) {
  joint_matrix_store(group, source, base + sycl::detail::offset_in_matrix(Layout, row, column, stride), stride, Layout);
}

template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout, typename Tv>
SINTER_DEVICE_INLINE void joint_matrix_fill(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& result,
                                            const Tv& value) {
  using element = sycl::detail::matrix_storage<T>;
  const auto each = static_cast<element>(value);
  // A work-item's part may have entries that hold no element of the matrix. These entries are filled, too, so that no
  // entry is undefined.
  constexpr std::uint32_t number =
      sycl::detail::matrix_access::number<std::remove_reference_t<decltype(result)>>;
  auto* const part = sycl::detail::matrix_access::part(result);
  const std::uint32_t length = __sinter_matrix_length(number);
  for (std::uint32_t i = 0; i < length; ++i) part[i] = each;
}

/// Computes d = a * b + c; `d` may be `c`. Products of floating-point numbers are added in any order, in the
/// accumulator's type or a more exact type.
template <typename Group, typename Ta, typename Tb, typename Tc, typename Td, std::size_t M, std::size_t K,
          std::size_t N, layout LayoutA, layout LayoutB>
SINTER_DEVICE_INLINE void joint_matrix_mad(
    Group, joint_matrix<Group, Td, use::accumulator, M, N, layout::dynamic>& d,
    const joint_matrix<Group, Ta, use::a, M, K, LayoutA>& a, const joint_matrix<Group, Tb, use::b, K, N, LayoutB>& b,
    const joint_matrix<Group, Tc, use::accumulator, M, N, layout::dynamic>& c) {
  static_assert(sycl::detail::can_be_multiplied<Ta, Tb, Tc, Td>(),
                "joint_matrix_mad: no device multiplies elements of these types and adds them up in that one "
                "(info::device::matrix_combinations)");
  constexpr std::size_t pack = sycl::detail::matrix_pack<sycl::detail::matrix_storage<Ta>>;
  static_assert(K % pack == 0, "joint_matrix_mad: K is even where elements have 16 bits, a multiple of 4 where 8");
  using access = sycl::detail::matrix_access;
  __sinter_matrix_multiply(access::part(d), access::number<std::remove_cvref_t<decltype(d)>>, access::part(a),
                           access::number<std::remove_cvref_t<decltype(a)>>, access::part(b),
                           access::number<std::remove_cvref_t<decltype(b)>>, access::part(c),
                           access::number<std::remove_cvref_t<decltype(c)>>);
}

/// An overload of earlier revisions of the extension. The program has to assign its result to a joint_matrix at once.
template <typename Group, typename Ta, typename Tb, typename Tc, std::size_t M, std::size_t K, std::size_t N,
          layout LayoutA, layout LayoutB>
SINTER_DEVICE_INLINE auto joint_matrix_mad(
    Group group, const joint_matrix<Group, Ta, use::a, M, K, LayoutA>& a,
    const joint_matrix<Group, Tb, use::b, K, N, LayoutB>& b,
    const joint_matrix<Group, Tc, use::accumulator, M, N, layout::dynamic>& c) {
  return sycl::detail::matrix_product{group, a, b, c};
}

/// Copies a matrix into another one. Elements are converted to the other matrix's type. Use and layout of the two
/// matrices may differ.
template <typename Group, typename T1, typename T2, std::size_t Rows, std::size_t Cols, use Use1, use Use2,
          layout Layout1, layout Layout2>
SINTER_DEVICE_INLINE void joint_matrix_copy(Group, const joint_matrix<Group, T1, Use1, Rows, Cols, Layout1>& source,
                                            joint_matrix<Group, T2, Use2, Rows, Cols, Layout2>& result) {
  using access = sycl::detail::matrix_access;
  __sinter_matrix_copy(access::part(result), access::number<std::remove_cvref_t<decltype(result)>>,
                       access::part(source), access::number<std::remove_cvref_t<decltype(source)>>);
}

/// Calls function(element&) once for each element. It is unspecified which work-item calls the function.
template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout, typename F>
SINTER_DEVICE_INLINE void joint_matrix_apply(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout>& matrix,
                                             F&& function) {
  sycl::detail::for_each_held(matrix, [&](auto& element, std::uint32_t) { function(element); });
}

/// Calls function(element&, element&) for each pair of elements with the same position.
template <typename Group, typename T0, typename T1, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          typename F>
SINTER_DEVICE_INLINE void joint_matrix_apply(Group, joint_matrix<Group, T0, Use, Rows, Cols, Layout>& first,
                                             joint_matrix<Group, T1, Use, Rows, Cols, Layout>& second, F&& function) {
  static_assert(Use == use::accumulator || sizeof(sycl::detail::matrix_storage<T0>) ==
                                               sizeof(sycl::detail::matrix_storage<T1>),
                "joint_matrix_apply: the elements of two matrices a or b have the same size");
  auto* const others = sycl::detail::matrix_access::part(second);
  sycl::detail::for_each_held(first, [&](auto& element, std::uint32_t i) { function(element, others[i]); });
}
template <typename Group, typename T0, typename T1, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          typename F>
SINTER_DEVICE_INLINE void joint_matrix_apply(Group, const joint_matrix<Group, T0, Use, Rows, Cols, Layout>& first,
                                             joint_matrix<Group, T1, Use, Rows, Cols, Layout>& second, F&& function) {
  static_assert(Use == use::accumulator || sizeof(sycl::detail::matrix_storage<T0>) ==
                                               sizeof(sycl::detail::matrix_storage<T1>),
                "joint_matrix_apply: the elements of two matrices a or b have the same size");
  auto* const others = sycl::detail::matrix_access::part(second);
  sycl::detail::for_each_held(first, [&](const auto& element, std::uint32_t i) { function(element, others[i]); });
}

/// A hint to load NumRows x NumCols elements into the caches. The hint does nothing, because the hardware itself
/// prefetches data that a kernel reads in order.
template <std::size_t NumRows, std::size_t NumCols, typename Group, typename T, typename... Properties>
SINTER_DEVICE_INLINE void joint_matrix_prefetch(Group, T*, std::size_t, layout, Properties...) {}
template <std::size_t NumRows, std::size_t NumCols, typename Group, typename T, access::address_space Space,
          access::decorated IsDecorated, typename... Properties>
SINTER_DEVICE_INLINE void joint_matrix_prefetch(Group, multi_ptr<T, Space, IsDecorated>, std::size_t, layout,
                                                Properties...) {}

/// Rounds to the nearest float whose lower 13 bits are 0, ties to even. Tensor cores use only the upper 19 bits of a
/// tf32.
SINTER_DEVICE_INLINE float round_to_tf32(const float& value) {
  auto bits = bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0xfffu + (bits >> 13 & 1u);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return bit_cast<float>(bits | 0x400000u);
  return bit_cast<float>(bits & ~0x1fffu);
}

}  // namespace sycl::ext::oneapi::experimental::matrix
