/// Loops of benchmarks/cpu in plain C++ with OpenMP, for 64-bit Arm. In benchmarks/cpu, the first of these loops uses
/// intrinsics of x86-64, and the second loop may add in any order.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../cpu/references.hpp"

namespace bench {

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

void arm_spmv_in_order(const sparse_matrix& matrix, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    float sum = 0;
    for (std::uint32_t k = matrix.row_starts[row]; k < matrix.row_starts[row + 1]; ++k) {
      sum += matrix.values[k] * x[matrix.columns[k]];
    }
    y[row] = sum;
  }
}

}  // namespace bench
