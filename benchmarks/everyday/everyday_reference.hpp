#pragma once
/// OpenMP's loops for kernels of this folder, as programmers write them for a CPU. Only these loops are compiled with
/// -march=native. Pictures are squares of n x n.

#include <cstddef>
#include <cstdint>

namespace everyday {

void column_sums(const float* in, float* out, std::size_t n);
void sums_down_columns(const float* in, float* out, std::size_t n);
/// Multiplies the transposed matrix by the vector.
void transposed_product(const float* matrix, const float* vector, float* out, std::size_t n);
void twice_the_root(const float* in, float* out, std::size_t count);
float sum(const float* in, std::size_t count);
/// `in` has a border of one element on all sides.
void box(const float* in, float* out, std::size_t n);
void scaled_rows(const float* in, float* out, std::size_t n);
/// Sums up the neighbours in a row that are at most `reach` away; the ends are repeated.
void window(const float* in, float* out, std::size_t n, int reach);
void halves(const float* in, float* out, std::size_t n);
/// Computes prefix sums of each row in the order of elements, like a work-item that goes along a row.
void prefixes(const float* in, float* out, std::size_t n);
void layer_norm(const float* in, float* out, std::size_t n);
void softmax(const float* in, float* out, std::size_t n);
/// Sums up each row, in any order.
void row_sums(const float* in, float* out, std::size_t n);
void product_with_row(const float* matrix, float* out, std::size_t n);  ///< the first row
void layer_norm_of_rows(const float* in, float* out, std::size_t n);
void softmax_of_rows(const float* in, float* out, std::size_t n);
/// Computes all sums except those of the two last rows and columns.
void box_inside(const float* in, float* out, std::size_t n);
void brighter(const std::uint8_t* in, std::uint8_t* out, std::size_t count);
void grey(const std::uint8_t* in, std::uint8_t* out, std::size_t count);
/// `in` has a border of one element on all sides.
void means_of_nine(const std::uint8_t* in, std::uint8_t* out, std::size_t n);
void means_of_nine(const std::uint16_t* in, std::uint16_t* out, std::size_t n);
void means_of_nine(const float* in, float* out, std::size_t n);
void histogram(const std::uint8_t* in, std::uint32_t* bins, std::size_t count);

}  // namespace everyday
