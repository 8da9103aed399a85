#include "references.hpp"

namespace bench {

void spmv_rows(const sparse_matrix& matrix, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::uint32_t k = matrix.row_starts[row]; k < matrix.row_starts[row + 1]; ++k) {
      sum += matrix.values[k] * x[matrix.columns[k]];
    }
    y[row] = sum;
  }
}

}  // namespace bench
