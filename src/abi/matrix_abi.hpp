#pragma once
/// Contract 1, continued (device_abi.hpp): matrices that a sub-group holds together (sycl_ext_oneapi_matrix).
///
/// A matrix is an array in each work-item, its part: `most_matrix_length` elements of its type. Which elements of the
/// matrix they are is the device's business. `type` is number_of(matrix_type) and constant. All work-items of a
/// sub-group call these together, or none. Kernels that need them run in sub-groups of 8 to 64 work-items.

#include "device_abi.hpp"

// clang-format off
extern "C" {
/// Loads from memory, where rows, or columns, are `stride` elements apart. `layout` is a matrix_layout; packed: as a
/// word's elements lie in vector units, row r of `pack` elements for each column at r * stride.
SINTER_DEVICE_CONVERGENT void __sinter_matrix_load(void* part, std::uint32_t type, const void* from,
                                                   std::size_t stride, std::uint32_t layout) noexcept;
SINTER_DEVICE_CONVERGENT void __sinter_matrix_store(const void* part, std::uint32_t type, void* to,
                                                    std::size_t stride, std::uint32_t layout) noexcept;
/// d = a * b + c. `d` may be `c`.
SINTER_DEVICE_CONVERGENT void __sinter_matrix_multiply(void* d, std::uint32_t d_type,
                                                       const void* a, std::uint32_t a_type,
                                                       const void* b, std::uint32_t b_type,
                                                       const void* c, std::uint32_t c_type) noexcept;
/// Both matrices have the same rows and columns; elements are converted as values.
SINTER_DEVICE_CONVERGENT void __sinter_matrix_copy(void* to, std::uint32_t to_type,
                                                   const void* from, std::uint32_t from_type) noexcept;
/// The number of elements in a part.
SINTER_DEVICE_CONST std::uint32_t __sinter_matrix_length(std::uint32_t type) noexcept;
/// Whether element `index` of the calling work-item's part is one of the matrix.
SINTER_DEVICE_CONST bool __sinter_matrix_holds(std::uint32_t type, std::uint32_t index) noexcept;
/// The element's place: row * 65536 + column.
SINTER_DEVICE_CONST std::uint32_t __sinter_matrix_place(std::uint32_t type, std::uint32_t index) noexcept;
}
// clang-format on
