#pragma once
/// OpenMP's loops for kernels of this folder, as one writes them for a CPU. Compiled with -march=native, alone.
/// Pictures are squares of n x n.

#include <cstddef>
#include <cstdint>

namespace everyday {

void column_sums(const float* in, float* out, std::size_t n);
void sums_down_columns(const float* in, float* out, std::size_t n);
/// Multiplies the transposed matrix by the vector.
void transposed_product(const float* matrix, const float* vector, float* out, std::size_t n);
void twice_the_root(const float* in, float* out, std::size_t count);
float sum(const float* in, std::size_t count);
/// `in` has a border of one on all sides.
void box(const float* in, float* out, std::size_t n);
void scaled_rows(const float* in, float* out, std::size_t n);
/// Sums of the neighbours in a row, at most `reach` away; those at the ends are repeated.
void window(const float* in, float* out, std::size_t n, int reach);
void halves(const float* in, float* out, std::size_t n);
/// Rows by themselves; sums in the order of elements, as work-items that go along a row have them.
void prefixes(const float* in, float* out, std::size_t n);
void layer_norm(const float* in, float* out, std::size_t n);
void softmax(const float* in, float* out, std::size_t n);
void histogram(const std::uint8_t* in, std::uint32_t* bins, std::size_t count);

}  // namespace everyday
