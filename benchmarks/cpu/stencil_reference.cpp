#include "references.hpp"

namespace bench {

void stencil_simd(const float* from, float* to, std::size_t n) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 1; i < n - 1; ++i) {
#pragma omp simd
    for (std::size_t j = 1; j < n - 1; ++j) {
      to[i * n + j] = 0.2f * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] +
                              from[i * n + j + 1]);
    }
  }
}

}  // namespace bench
