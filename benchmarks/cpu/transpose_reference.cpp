#include "references.hpp"

namespace bench {

void transpose_blocks(const float* from, float* to, std::size_t n) {
  constexpr std::size_t block = 16;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t row = 0; row < n; row += block) {
    for (std::size_t column = 0; column < n; column += block) {
      // Blocks go through a local array, so that whole cache lines are read and written; a column of the matrix would
      // use only a few cache sets.
      float near[block][block + 1];
      for (std::size_t i = 0; i < block; ++i) {
#pragma omp simd
        for (std::size_t j = 0; j < block; ++j) near[i][j] = from[(row + i) * n + column + j];
      }
      for (std::size_t i = 0; i < block; ++i) {
#pragma omp simd
        for (std::size_t j = 0; j < block; ++j) to[(column + i) * n + row + j] = near[j][i];
      }
    }
  }
}

}  // namespace bench
