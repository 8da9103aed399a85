/// Loops of benchmarks/cpu with OpenMP, in plain C++ for 64-bit Arm. The OpenMP files of benchmarks/cpu do not compile
/// there, because they use intrinsics of x86-64.

#include <cmath>
#include <cstddef>

#include "../cpu/references.hpp"

namespace bench {

void arm_matmul_tiled(const float* a, const float* b, float* c, std::size_t n) {
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

void arm_nbody(const float* bodies, float* accelerations, std::size_t count, float softening) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) {
    const float own_x = bodies[4 * i], own_y = bodies[4 * i + 1], own_z = bodies[4 * i + 2];
    float ax = 0, ay = 0, az = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const float x = bodies[4 * k] - own_x, y = bodies[4 * k + 1] - own_y, z = bodies[4 * k + 2] - own_z;
      const float inverse = 1 / std::sqrt(x * x + y * y + z * z + softening);
      const float scale = bodies[4 * k + 3] * inverse * inverse * inverse;
      ax += x * scale;
      ay += y * scale;
      az += z * scale;
    }
    accelerations[4 * i] = ax;
    accelerations[4 * i + 1] = ay;
    accelerations[4 * i + 2] = az;
    accelerations[4 * i + 3] = 0;
  }
}

void arm_mandelbrot(const mandelbrot_view& view, int* counts) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t row = 0; row < view.height; ++row) {
#pragma omp simd
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
