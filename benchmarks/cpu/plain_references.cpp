/// References without intrinsics: matmul and mandelbrot run them, and benchmarks/arm/cycles.py compiles them for 64-bit
/// Arm.

#include "references.hpp"

namespace bench {

void matmul_tiled(const float* a, const float* b, float* c, std::size_t n) {
  constexpr std::size_t tile = 16;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t row = 0; row < n; row += tile) {
    for (std::size_t column = 0; column < n; column += tile) {
      float tile_a[tile][tile], tile_b[tile][tile], sums[tile][tile] = {};
      for (std::size_t start = 0; start < n; start += tile) {
        for (std::size_t i = 0; i < tile; ++i) {
#pragma omp simd
          for (std::size_t j = 0; j < tile; ++j) {
            tile_a[i][j] = a[(row + i) * n + start + j];
            tile_b[i][j] = b[(start + i) * n + column + j];
          }
        }
        for (std::size_t i = 0; i < tile; ++i) {
          for (std::size_t k = 0; k < tile; ++k) {
#pragma omp simd
            for (std::size_t j = 0; j < tile; ++j) sums[i][j] += tile_a[i][k] * tile_b[k][j];
          }
        }
      }
      for (std::size_t i = 0; i < tile; ++i) {
#pragma omp simd
        for (std::size_t j = 0; j < tile; ++j) c[(row + i) * n + column + j] = sums[i][j];
      }
    }
  }
}

void mandelbrot_scalar(const mandelbrot_view& view, int* counts) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t row = 0; row < view.height; ++row) {
    for (std::size_t column = 0; column < view.width; ++column) {
      const float real = view.left + view.step * static_cast<float>(column);
      const float imaginary = view.top + view.step * static_cast<float>(row);
      float x = 0, y = 0;
      int n = 0;
      while (x * x + y * y <= 4.0f && n < view.limit) {
        const float next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
        ++n;
      }
      counts[row * view.width + column] = n;
    }
  }
}

}  // namespace bench
