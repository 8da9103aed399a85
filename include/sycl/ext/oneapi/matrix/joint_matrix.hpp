#pragma once
/// The types of sycl_ext_oneapi_matrix: matrices that are distributed over the work-items of a sub-group.
///
/// Which elements a work-item holds depends on the device and on the sub-group size. On CPUs the rows of a matrix are
/// in vector registers; on NVIDIA's GPUs matrices are the fragments of tensor cores.

#include <cstddef>
#include <cstdint>
#include <sinter/abi/matrix_abi.hpp>
#include <sinter/abi/matrix_layout.hpp>
#include <string_view>
#include <type_traits>

#include "../../../half.hpp"
#include "../../../sub_group.hpp"
#include "../bfloat16.hpp"

#define SYCL_EXT_ONEAPI_MATRIX 1

namespace sycl::inline _V1 {
namespace ext::oneapi::experimental::matrix {

enum class use { a, b, accumulator };

/// `dynamic` means that each load and store takes the layout as an argument; only accumulators have `dynamic`. `packed`
/// is the name that ext_intel_packed had in earlier revisions of the extension.
enum class layout { row_major = 0, col_major = 1, ext_intel_packed = 2, packed = ext_intel_packed, dynamic = 3 };

namespace precision {
/// An element type: floats of 19 bits, which are stored as float.
class tf32 {
  tf32() = delete;
};
}  // namespace precision

/// The types of elements in the devices' lists of supported products (struct combination).
enum class matrix_type { bf16, fp16, tf32, fp32, fp64, sint8, sint16, sint32, sint64, uint8, uint16, uint32, uint64 };

/// A function of DPC++, which returns a name for messages.
constexpr std::string_view convertTypeToMatrixTypeString(matrix_type type) {
  constexpr std::string_view names[] = {"bf16",   "fp16",   "tf32",  "fp32",   "fp64",   "sint8", "sint16",
                                        "sint32", "sint64", "uint8", "uint16", "uint32", "uint64"};
  return names[static_cast<int>(type)];
}

}  // namespace ext::oneapi::experimental::matrix

namespace detail {

namespace matrices = ext::oneapi::experimental::matrix;
using sinter::abi::matrix_element;

template <class T>
constexpr bool is_matrix_element =
    std::is_same_v<T, half> || std::is_same_v<T, ext::oneapi::bfloat16> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> || std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t> ||
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, matrices::precision::tf32>;

template <class T>
constexpr matrix_element matrix_element_of() {
  if (std::is_same_v<T, half>) return matrix_element::f16;
  if (std::is_same_v<T, ext::oneapi::bfloat16>) return matrix_element::bf16;
  if (std::is_same_v<T, matrices::precision::tf32>) return matrix_element::tf32;
  if (std::is_same_v<T, double>) return matrix_element::f64;
  if (std::is_same_v<T, std::int8_t>) return matrix_element::s8;
  if (std::is_same_v<T, std::uint8_t>) return matrix_element::u8;
  if (std::is_same_v<T, std::int32_t>) return matrix_element::s32;
  return matrix_element::f32;
}

/// The type of the elements in memory, and of the elements that joint_matrix_apply passes to its function.
template <class T>
using matrix_storage = std::conditional_t<std::is_same_v<T, matrices::precision::tf32>, float, T>;

template <class T, matrices::use Use, std::size_t Rows, std::size_t Columns, matrices::layout Layout>
inline constexpr sinter::abi::matrix_type abi_matrix_type{
    matrix_element_of<T>(),
    Use == matrices::use::a   ? sinter::abi::matrix_use::a
    : Use == matrices::use::b ? sinter::abi::matrix_use::b
                              : sinter::abi::matrix_use::accumulator,
    static_cast<sinter::abi::matrix_layout>(Layout), static_cast<std::uint32_t>(Rows),
    static_cast<std::uint32_t>(Columns)};

struct matrix_access;
/// The result of the older joint_matrix_mad, which returns its result instead of writing it to an argument. Assigning
/// this object to a joint_matrix computes the product.
template <class A, class B, class C>
struct matrix_product;

}  // namespace detail

namespace ext::oneapi::experimental::matrix {

/// A matrix of Rows x Cols elements of T, which a sub-group holds. All work-items of the sub-group have to construct
/// the matrix together. They also have to call each of the functions below together. The elements have no values until
/// joint_matrix_load, joint_matrix_fill, joint_matrix_mad or joint_matrix_copy sets them.
template <typename Group, typename T, use Use, std::size_t Rows, std::size_t Cols, layout Layout = layout::dynamic>
class joint_matrix {
  static_assert(std::is_same_v<Group, sub_group>, "a joint_matrix is held by a sycl::sub_group");
  static_assert(detail::is_matrix_element<T>,
                "elements of a joint_matrix are half, bfloat16, float, double, int8_t, uint8_t, int32_t or "
                "precision::tf32");
  static_assert(Rows > 0 && Cols > 0 && Rows <= 128 && Cols <= 128, "a joint_matrix has 1 to 128 rows and columns");
  static_assert((Use == use::accumulator) == (Layout == layout::dynamic),
                "the layout of an accumulator is layout::dynamic, and that of a and b any other");
  static_assert(Layout != layout::ext_intel_packed || Use == use::b, "layout::ext_intel_packed is one of use::b");

public:
  joint_matrix() {}
  joint_matrix(const joint_matrix&) = delete;
  joint_matrix& operator=(const joint_matrix&) = delete;
  /// Supports the statement c = joint_matrix_mad(group, a, b, c), which was part of the extension until 2023.
  template <class A, class B, class C>
  SINTER_DEVICE_INLINE joint_matrix& operator=(const sycl::detail::matrix_product<A, B, C>& product) {
    product.write_to(*this);
    return *this;
  }

private:
  friend struct sycl::detail::matrix_access;
  static constexpr ::sinter::abi::matrix_type type = sycl::detail::abi_matrix_type<T, Use, Rows, Cols, Layout>;

  /// In a union, the member is not constructed. Constructors of some number classes would set the elements to 0, which
  /// costs time.
  union {
    alignas(16) sycl::detail::matrix_storage<T> m_part[::sinter::abi::most_matrix_length(type)];
  };
};

}  // namespace ext::oneapi::experimental::matrix

namespace detail {

struct matrix_access {
  template <class Matrix>
  static constexpr std::uint32_t number = sinter::abi::number_of(Matrix::type);
  template <class Matrix>
  static SINTER_DEVICE_INLINE auto* part(Matrix& matrix) {
    return matrix.m_part;
  }
};

/// Calls function(element, index) for each element that this work-item holds.
template <class Matrix, class Function>
SINTER_DEVICE_INLINE void for_each_held(Matrix& matrix, const Function& function) {
  constexpr std::uint32_t number = matrix_access::number<std::remove_const_t<Matrix>>;
  auto* const part = matrix_access::part(matrix);
  const std::uint32_t length = __sinter_matrix_length(number);
  for (std::uint32_t i = 0; i < length; ++i) {
    if (__sinter_matrix_holds(number, i)) function(part[i], i);
  }
}

}  // namespace detail
}  // namespace sycl
