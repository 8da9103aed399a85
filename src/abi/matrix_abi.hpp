#pragma once
/// Contract 1, continued (device_abi.hpp): matrices that a sub-group holds together (sycl_ext_oneapi_matrix).
///
/// Each work-item holds a part of the matrix: an array of `most_matrix_length` elements. Each device decides which
/// elements of the matrix a part contains. `type` is number_of(matrix_type) and constant. The work-items of a sub-group
/// have to call these functions together: either all of them call, or none. Kernels that call these functions run in
/// sub-groups of 8 to 64 work-items.

#include "device_abi.hpp"

// clang-format off
extern "C" {
/// These two functions load and store a matrix whose rows, or columns, are `stride` elements apart in memory. `layout`
/// is a matrix_layout. In the packed layout, one row in memory holds `pack` rows of the matrix: the elements of a
/// column in these rows are neighbours and form a word (matrix_layout.hpp), as vector units expect it. Row r in memory
/// begins at element r * stride.
SINTER_DEVICE_CONVERGENT void __sinter_matrix_load(void* part, std::uint32_t type, const void* from,
                                                   std::size_t stride, std::uint32_t layout) noexcept;
SINTER_DEVICE_CONVERGENT void __sinter_matrix_store(const void* part, std::uint32_t type, void* to,
                                                    std::size_t stride, std::uint32_t layout) noexcept;
/// Computes d = a * b + c. `d` may be `c`.
SINTER_DEVICE_CONVERGENT void __sinter_matrix_multiply(void* d, std::uint32_t d_type,
                                                       const void* a, std::uint32_t a_type,
                                                       const void* b, std::uint32_t b_type,
                                                       const void* c, std::uint32_t c_type) noexcept;
/// Copies a matrix to another one with equal rows and columns, and converts the values of the elements.
SINTER_DEVICE_CONVERGENT void __sinter_matrix_copy(void* to, std::uint32_t to_type,
                                                   const void* from, std::uint32_t from_type) noexcept;
/// Returns the number of elements in a part.
SINTER_DEVICE_CONST std::uint32_t __sinter_matrix_length(std::uint32_t type) noexcept;
/// Returns whether element `index` of the calling work-item's part belongs to the matrix.
SINTER_DEVICE_CONST bool __sinter_matrix_holds(std::uint32_t type, std::uint32_t index) noexcept;
/// Returns the position in the matrix of element `index` of the calling work-item's part, as row * 65536 + column.
SINTER_DEVICE_CONST std::uint32_t __sinter_matrix_place(std::uint32_t type, std::uint32_t index) noexcept;
}
// clang-format on
